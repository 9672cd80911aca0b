/** SRV: the loop. SVC: the loop as a service, with systemd or detached. Part of `ERROR_CODES`. */
export const SERVICE_ERROR_CODES = {
  'AR-SRV-001': {
    title: 'Another serve runs here',
    cause: 'A serve holds the lock of this log_dir; two would start two agents on one tree.',
    remedy: '`agent-runner stop` ends the other one; a second project needs a log_dir of its own.',
  },
  'AR-SRV-002': {
    title: 'log_dir cannot be made',
    cause: 'The folder above it is missing rights or space, or something else lies in its place.',
    remedy: 'Correct `runtime.log_dir`, or give this user write permission there.',
  },
  'AR-SRV-003': {
    title: 'The tree was dirty before the first round',
    cause: '`vcs.preexisting` is `refuse`, and work_dir has changes that nobody committed.',
    remedy: 'Commit or stash them, or set `vcs.preexisting = "snapshot"`.',
  },
  'AR-SVC-001': {
    title: 'No user service manager answers',
    cause:
      'A user service needs the systemd of this very login: XDG_RUNTIME_DIR and its bus. `su`, `sudo -u` and cron give a shell without them, and so do machines and containers without systemd.',
    remedy:
      'Log in as that user by ssh or at the console (or `machinectl shell USER@`), or let root run `loginctl enable-linger USER` first; `install --system` needs none of it. Without systemd, `agent-runner start` runs serve detached.',
  },
  'AR-SVC-002': {
    title: 'A user service would end at logout',
    cause: 'Lingering is off for this user: their service manager starts at login and ends with the last logout, and with it the agents.',
    remedy: '`sudo loginctl enable-linger USER` turns it on; `install --force` installs all the same.',
  },
  'AR-SVC-003': {
    title: 'A unit of that name belongs to somebody else',
    cause: 'Units are named after the last part of work_dir. Another project, or another program, has a unit of that name.',
    remedy: 'Rename one of the two folders, or replace the other unit with `install --force`.',
  },
  'AR-SVC-004': {
    title: 'serve is running already',
    cause: 'serve runs outside of the unit; a second one could not take its lock and would only fail.',
    remedy: '`agent-runner stop` ends it after its round; then install or start.',
  },
  'AR-SVC-005': {
    title: 'Root is needed',
    cause: 'A system service is managed by root.',
    remedy: 'Run the command with sudo.',
  },
  'AR-SVC-006': {
    title: 'It is not known whom the service should run as',
    cause: 'Agents must not run as root. `install --system` takes the user who called sudo, or else the owner of work_dir.',
    remedy: 'Call it by sudo from the account that the agents should have, or give work_dir to that account.',
  },
  'AR-SVC-007': {
    title: 'The service manager refused',
    cause: 'systemctl did not do what it was asked; its own words are in the message.',
    remedy: '`agent-runner status` and `journalctl --user -u UNIT` (without --user for a system service) say more.',
  },
  'AR-SVC-008': {
    title: 'The service has no unit',
    cause: 'The verb works on the unit that `install` writes, and there is none for this project.',
    remedy: '`agent-runner install` writes it. Without one, `agent-runner start` and `agent-runner stop` manage a detached serve.',
  },
  'AR-SVC-009': {
    title: 'serve did not come up',
    cause: 'It ended before its start-up checks had passed, or did not say within the time allowed that they have.',
    remedy: 'Its last words are in the message; the rest is in its log.',
  },
  'AR-SVC-010': {
    title: 'A name or a path cannot stand in a unit',
    cause: 'A control character, a space or backslash at the end, or a name that is too long for a unit.',
    remedy: 'Rename the folder or file.',
  },
  'AR-SVC-011': {
    title: 'Restart is refused without a unit',
    cause: 'Nothing would start serve again: a restart would stop it for good.',
    remedy: '`agent-runner stop`, then `agent-runner start`; or `agent-runner install`, which makes it a service.',
  },
  'AR-SVC-012': {
    title: 'The service may not take the time that a graceful stop needs',
    cause: 'A drop-in gives TimeoutStopSec less than the longest round and its end may take, so a stop would kill the round.',
    remedy:
      'Take the line out of the drop-in (`systemctl --user edit UNIT`), or shorten round_timeout_s; `install --force` installs all the same.',
  },
  'AR-SVC-013': {
    title: 'The service still drains',
    cause: 'A round is running, and the unit must stay until it has ended: without it systemd would cut the round short.',
    remedy: 'Wait and call again, or end the round now with `agent-runner kill`.',
  },
  'AR-SVC-014': {
    title: 'The service belongs to another user',
    cause: "A user service is managed by that user's own service manager. sudo speaks to root's.",
    remedy: 'Run the command as the user who installed the service, without sudo.',
  },
} as const;
