// Stands in for serve where a test is about the verbs that speak to it: writes its pid file and says every signal that it gets.
// Arguments: log_dir, then what to do on SIGTERM: `stop` at once, `drain` (go at the second), `stubborn` (never).
import { layout } from '../../src/state/layout.ts';
import { removePidFile, writePidFile } from '../../src/state/pid-file.ts';

const [logDir = '', manner = 'stop'] = process.argv.slice(2);
const paths = layout(logDir);
let terms = 0;

process.on('SIGHUP', () => console.log('SIGHUP'));
process.on('SIGTERM', () => {
  terms += 1;
  console.log(`SIGTERM ${terms}`);
  if (manner === 'stop' || (manner === 'drain' && terms === 2)) {
    removePidFile(paths.servePid);
    process.exit(0);
  }
});
setInterval(() => {}, 1000);
writePidFile(paths.servePid);
console.log('ready');
