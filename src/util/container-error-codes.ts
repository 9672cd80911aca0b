/** CON: containers by `agent.exec_prefix`. Errors stop a start (78), except 020; warnings are told once at start. Part of `ERROR_CODES`. */
export const CONTAINER_ERROR_CODES = {
  'AR-CON-001': {
    title: 'The container does not read standard input',
    cause:
      '`agent.prompt_delivery = "stdin"`, and `-i` is not among the options of the container run: the agent would wait for its prompt until the time-out.',
    remedy: 'Add `"-i"` to `agent.exec_prefix`, after `run`.',
  },
  'AR-CON-002': {
    title: 'The container asks for a terminal',
    cause:
      '`-t` is among the options of the container run. An unattended agent has no terminal: the engine refuses to start, or mangles the output.',
    remedy: 'Remove `-t` (write `-i` instead of `-it`).',
  },
  'AR-CON-003': {
    title: 'The container would run in the background',
    cause:
      '`-d` is among the options of the container run: its client ends at once, so each round would look like an instant success while the agent works unseen.',
    remedy: 'Remove `-d` / `--detach`.',
  },
  'AR-CON-004': {
    title: 'log_dir can be reached from inside the container',
    cause:
      '`runtime.log_dir` lies in a folder that is mounted into the container: the agent could write the state by which it is supervised.',
    remedy: 'Move `runtime.log_dir` outside every mounted path, for example to `~/.agent-runner/{project}/logs`.',
  },
  'AR-CON-005': {
    title: 'The repository of a linked worktree is not mounted',
    cause:
      '`work_dir` is a linked worktree (or a submodule): its `.git` is a file that names a folder elsewhere, and that folder is not in the container, so git does not work there.',
    remedy: 'Mount that folder too, under the very same path; the message gives the flag.',
  },
  'AR-CON-006': {
    title: 'A command inside a container that lives on',
    cause: '`docker exec`, `compose exec` and `compose run` start a process that outlives its client and that nobody can find afterwards.',
    remedy: 'Use `docker run` (or podman, nerdctl) in `agent.exec_prefix`: each round then gets a container of its own.',
  },
  'AR-CON-007': {
    title: 'The image is not there',
    cause: '`--pull never` forbids to fetch it, and the engine does not have it.',
    remedy: 'Build, load or pull the image by hand, or name another.',
  },
  'AR-CON-010': {
    title: 'Containers are kept after each round',
    cause: '`--rm` is missing: every round leaves a stopped container behind.',
    remedy: 'Add `"--rm"`.',
  },
  'AR-CON-011': {
    title: 'Nobody reaps zombies in the container',
    cause: '`--init` is missing: the agent is process 1 there. It does not reap orphans, and signals it has no handler for are ignored.',
    remedy: 'Add `"--init"`.',
  },
  'AR-CON-012': {
    title: 'The agent runs as root in the container',
    cause:
      'Neither `-u` nor `--userns` is given: with docker, files in `work_dir` will belong to root, which breaks git outside; claude refuses to work as root.',
    remedy: 'Add `"-u", "1000:1000"` (your own uid and gid); with rootless podman `"--userns=keep-id"`.',
  },
  'AR-CON-013': {
    title: 'A secret is written into the command line',
    cause: '`-e NAME=value` with a name that looks like a credential: everybody on this machine can read it with `ps`.',
    remedy: 'Write `-e NAME` without a value and put the value into `agent.env_file`.',
  },
  'AR-CON-014': {
    title: 'A variable for the container is not set',
    cause:
      '`-e NAME` without a value passes the variable on from the environment of the engine’s client, and there it does not exist (`sudo` and `env -i` drop it).',
    remedy: 'Set it in `agent.env_file` or the environment of the service; with sudo add `--preserve-env=NAME`.',
  },
  'AR-CON-015': {
    title: 'The container has no network',
    cause: '`--network none`: an agent that needs its model over the network cannot work.',
    remedy: 'Remove it, or ignore this when the model is inside the container.',
  },
  'AR-CON-016': {
    title: 'The container does not get signals',
    cause: '`--sig-proxy=false`: a polite stop does not reach the agent before the engine’s own `stop`.',
    remedy: 'Remove `--sig-proxy=false`.',
  },
  'AR-CON-017': {
    title: 'Credentials lie in the work tree',
    cause: 'A folder or file of credentials is mounted from, or into, `work_dir`: git may stash or commit it.',
    remedy: 'Keep credentials outside `work_dir`, and mount them outside the container’s work folder.',
  },
  'AR-CON-018': {
    title: 'The prefix names an engine, but it is not understood',
    cause:
      'The command mentions docker, podman or nerdctl in a form that is not recognised as a container run (a shell line, ssh, another wrapper): a container of it cannot be stopped at a time-out.',
    remedy: 'Write the run plainly: `["docker", "run", ...]`, with `sudo` or `env` before it if need be.',
  },
  'AR-CON-019': {
    title: 'A --cidfile of your own',
    cause:
      'Your `--cidfile` is read and kept. The engine refuses to start a container while that file exists, so the second round would fail.',
    remedy: 'Remove `--cidfile`: agent-runner gives each round one of its own.',
  },
  'AR-CON-020': {
    title: 'No private folder for container ids',
    cause:
      'Neither the state folder nor the temporary folder of this user can be used: not writable, owned by somebody else, or mounted into the container.',
    remedy: 'Set `XDG_STATE_HOME` to a folder of your own outside `work_dir`, `log_dir` and every mounted path.',
  },
  'AR-CON-021': {
    title: 'The engine’s client runs as another user',
    cause:
      '`sudo -u NAME` or the like: that user cannot enter the private folder for the container id and for the control directory, so the container is known by its label alone, and an agent in it cannot ask the loop to end.',
    remedy: 'Run agent-runner itself as that user.',
  },
  'AR-CON-022': {
    title: 'work_dir is not mounted',
    cause: 'No option of the container run mounts `work_dir` or a folder that holds it: nothing the agent writes would arrive outside.',
    remedy: 'Add `"-v", "{work_dir}:/work", "-w", "/work"`.',
  },
  'AR-CON-023': {
    title: 'The engine’s socket is mounted into the container',
    cause: 'Whoever can speak to the engine can do everything on this machine: the container then protects nothing.',
    remedy: 'Remove the mount.',
  },
  'AR-CON-024': {
    title: 'The prefix names no image',
    cause:
      'The options of the container run reach to the end of `agent.exec_prefix`, so the first word of `agent.command` is taken as the image.',
    remedy: 'End `agent.exec_prefix` with the image.',
  },
  'AR-CON-025': {
    title: 'The container of an earlier round cannot be ended',
    cause:
      'The engine does not answer, or it says that the container still runs after `stop`, `kill` and `rm --force`. No round starts beside it; it is tried again every half minute.',
    remedy:
      'Start the engine, or end the container by hand. If that engine is gone for good, remove `round-in-flight.json` from log_dir; then `agent-runner wake`.',
  },
} as const satisfies Record<string, { title: string; cause: string; remedy: string }>;

export type ContainerErrorCode = keyof typeof CONTAINER_ERROR_CODES;
