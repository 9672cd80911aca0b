import { Command, Option } from 'commander';
import { configPath } from '../config/paths.ts';
import type { GlobalOptions, Verb } from './verbs.ts';
import { VERBS } from './verbs.ts';

/** The command line, made from `VERBS`. `done` is given the exit code of the verb that ran. */
export function buildProgram(done: (exit: number) => void): Command {
  const program = new Command('agent-runner')
    .description('Run coding agents unattended, round after round: every round supervised, guarded, cleaned up and explained.')
    .option('--config <path>', 'configuration file (default: ./agent-runner.toml)')
    .option('--json', 'print JSON')
    .option('--no-color', 'print no colours (so does NO_COLOR)')
    .option('--version', 'print the version')
    .helpOption('-h, --help', 'print help')
    .helpCommand('help [verb]', 'print help for a verb')
    .configureHelp({ showGlobalOptions: true, subcommandTerm: termOf });
  strict(program);
  for (const verb of VERBS) program.addCommand(commandOf(verb, program, done));
  return program;
}

function commandOf(verb: Verb, program: Command, done: (exit: number) => void): Command {
  const command = new Command(verb.name).description(verb.summary).helpGroup(`${verb.group}:`).helpOption('-h, --help', 'print help');
  strict(command).configureHelp({ showGlobalOptions: true });
  for (const { flags, description, parse, choices } of verb.options) {
    const option = new Option(flags, description);
    if (parse) option.argParser(parse);
    if (choices) option.choices(choices);
    command.addOption(option);
  }
  if (verb.argument) command.argument(verb.argument.spec, verb.argument.description);
  command.action(async () => {
    const argument = verb.argument ? command.args[0] : undefined;
    done(await verb.run(globalsOf(program), command.opts(), argument));
  });
  return command;
}

function globalsOf(program: Command): GlobalOptions {
  const { config, json, color } = program.opts();
  return { config: configPath(config), configGiven: config !== undefined, json: json === true, color: color !== false };
}

/** Errors come to us as exceptions, and nothing is printed but by us. */
function strict(command: Command): Command {
  return command
    .exitOverride()
    .allowExcessArguments(false)
    .configureOutput({ writeErr: () => {} });
}

function termOf(command: Command): string {
  const argument = command.registeredArguments[0];
  return argument === undefined ? command.name() : `${command.name()} [${argument.name()}]`;
}
