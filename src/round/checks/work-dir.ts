import { statOrNull } from '../../util/stat.ts';
import { type Check, pass } from './check.ts';

const NAME = 'work_dir_is_git_repo';

export const workDirIsGitRepo: Check = ({ loaded, tree }) => {
  const workDir = loaded.config.runtime.work_dir;
  const failed = (permanent: boolean, code: string, reason: string, remedy: string) => [
    { name: NAME, ok: false as const, permanent, code, reason, remedy },
  ];
  if (!statOrNull(workDir)?.isDirectory()) {
    return failed(true, 'AR-CHK-002', `work_dir ${workDir} is not a directory`, 'correct [runtime] work_dir, or create the directory');
  }
  if (tree.problem === null) return [pass(NAME)];
  switch (tree.problem.kind) {
    case 'not_a_repo':
      return failed(
        true,
        'AR-CHK-003',
        `work_dir ${workDir} is not a git work tree`,
        'run `git init` there, or correct [runtime] work_dir',
      );
    case 'dubious_ownership':
      return failed(
        true,
        'AR-CHK-009',
        `git refuses work_dir ${workDir}: it belongs to another user`,
        `give it to this user, or run \`git config --global --add safe.directory '${workDir}'\``,
      );
    case 'git_too_old':
      return failed(true, 'AR-CHK-011', tree.problem.message, 'install a newer git: an older one would run what an agent planted');
    default:
      return failed(
        false,
        'AR-CHK-010',
        `git does not answer in ${workDir}: ${tree.problem.message}`,
        'look at the disk and at other git processes there',
      );
  }
};
