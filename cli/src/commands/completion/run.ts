/** `joinery completion`: generates completion scripts for shells from the commands and their options. */
import type { Command } from 'commander';
import { CliError } from '../../cli-error.ts';
import { openProject } from '../../project/config.ts';
import type { ProjectFlags } from '../../project/flags.ts';
import { migratedDatabases } from '../migrate/files.ts';

const shells = ['bash', 'zsh', 'fish'] as const;
type Shell = (typeof shells)[number];

interface Choice {
  readonly word: string;
  readonly about: string;
}

/** The commands and options that can follow a command, by its path: `''`, `migrate`, `migrate apply`. */
type Choices = ReadonlyMap<string, readonly Choice[]>;

/** Returns the script. Throws CliError for an unsupported shell. */
export function completionScript(program: Command, shell: string): string {
  const known = shells.find((one) => one === shell);
  if (known === undefined) throw new CliError(`no completion for "${shell}"; use one of ${shells.join(', ')}`);
  return printers[known](choicesOf(program), valuesOf(program));
}

/** The option whose values are the databases of the project. */
const DATABASE_OPTION = '--database-name';
/** The command that the scripts run for the databases. */
const LIST_DATABASES = 'joinery completion databases 2>/dev/null';

/** Returns the databases of the metadata and of the migrations of the project, as far as they can be read. */
export async function databaseNames(flags: ProjectFlags, environment: NodeJS.ProcessEnv): Promise<readonly string[]> {
  const read = await Promise.allSettled([sourcesOf(flags, environment), migratedOf(flags, environment)]);
  const names = read.flatMap((one) => (one.status === 'fulfilled' ? one.value : []));
  // Only names that no shell takes for syntax.
  return [...new Set(names)].filter((name) => /^[\w.-]+$/.test(name)).sort();
}

async function sourcesOf(flags: ProjectFlags, environment: NodeJS.ProcessEnv): Promise<readonly string[]> {
  const { metadataDirectory: directory, metadataFile: file } = await openProject(flags, environment);
  const { readMetadata } = await import('../../project/metadata-directory.ts');
  const location = { directory, ...(file !== undefined && { file }) };
  const { sources = [] } = (await readMetadata(location)).document as {
    readonly sources?: readonly { name: string }[];
  };
  return sources.map(({ name }) => name);
}

async function migratedOf(flags: ProjectFlags, environment: NodeJS.ProcessEnv): Promise<readonly string[]> {
  return migratedDatabases((await openProject(flags, environment)).migrationsDirectory);
}

/** Values of options that are not declared with choices. */
const knownValues: Readonly<Record<string, readonly string[]>> = {
  '--output': ['text', 'json'],
  '--type': ['up', 'down'],
  '--layout': ['2', '3'],
};

/** Returns the values of each option that has a fixed list, by its short and long names. */
function valuesOf(program: Command): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, readonly string[]>();
  const visit = (command: Command): void => {
    for (const { long, short, argChoices } of command.options) {
      const values = argChoices ?? knownValues[long ?? ''];
      for (const name of [long, short]) if (name && values !== undefined) found.set(name, values);
    }
    command.commands.forEach(visit);
  };
  visit(program);
  return found;
}

function choicesOf(program: Command): Choices {
  const found = new Map<string, readonly Choice[]>();
  const visit = (command: Command, path: string): void => {
    const commands = command.commands.map((one) => ({ word: one.name(), about: one.description() }));
    const options = command.options.map(({ long, short, description }) => ({
      word: long ?? short ?? '',
      about: description,
    }));
    found.set(path, [...commands, ...options, { word: '--help', about: 'display help' }]);
    for (const one of command.commands) visit(one, `${path} ${one.name()}`.trim());
  };
  visit(program, '');
  return found;
}

/** Shell code for bash and zsh that collects the commands of the line, without flags, in `path`. */
function pathOf(expansion: string, choices: Choices): string {
  const cases = [...choices.keys()]
    .filter((path) => path !== '')
    .map((path) => `      "${path.includes(' ') ? '' : ' '}${path}") path="${path}" ;;`);
  return `  for word in "\${${expansion}}"; do
    case "$word" in -*) ;; *) case "$path $word" in
${cases.join('\n')}
    esac ;; esac
  done`;
}

type Values = ReadonlyMap<string, readonly string[]>;

const printers: Readonly<Record<Shell, (choices: Choices, values: Values) => string>> = {
  bash: (
    choices,
    values,
  ) => `# joinery completion bash > /etc/bash_completion.d/joinery, or: source <(joinery completion bash)
_joinery() {
  local path="" word choices=""
${pathOf('COMP_WORDS[@]:1:COMP_CWORD-1', choices)}
  case "$path" in
${[...choices].map(([path, list]) => `    "${path}") choices="${list.map(({ word }) => word).join(' ')}" ;;`).join('\n')}
  esac
  case "\${COMP_WORDS[COMP_CWORD-1]}" in
${[...values].map(([option, list]) => `    ${option}) choices="${list.join(' ')}" ;;`).join('\n')}
    ${DATABASE_OPTION}) choices="$(${LIST_DATABASES})" ;;
  esac
  COMPREPLY=($(compgen -W "$choices" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _joinery joinery
`,
  zsh: (choices, values) => `#compdef joinery
# joinery completion zsh > "\${fpath[1]}/_joinery"
_joinery() {
  local path="" word
  local -a choices
${pathOf('(@)words[2,CURRENT-1]', choices)}
  case "$path" in
${[...choices].map(([path, list]) => `    "${path}") choices=(${list.map(({ word, about }) => `'${word}:${plain(about)}'`).join(' ')}) ;;`).join('\n')}
  esac
  case "\${words[CURRENT-1]}" in
${[...values].map(([option, list]) => `    ${option}) choices=(${list.join(' ')}) ;;`).join('\n')}
    ${DATABASE_OPTION}) choices=(\${(f)"$(${LIST_DATABASES})"}) ;;
  esac
  _describe 'joinery' choices || _files
}
compdef _joinery joinery
`,
  fish: (choices, values) => `# joinery completion fish > ~/.config/fish/completions/joinery.fish
complete -c joinery -f
${[...choices].flatMap(([path, list]) => list.map((choice) => fishLine(path, choice, choices, values))).join('\n')}
`,
};

function fishLine(path: string, { word, about }: Choice, choices: Choices, fixed: Values): string {
  const words = path.split(' ').filter((one) => one !== '');
  const below = (choices.get(path) ?? []).filter((one) => !one.word.startsWith('-')).map((one) => one.word);
  const seen = words.map((one) => `__fish_seen_subcommand_from ${one}`);
  const notYet = below.length > 0 ? [`not __fish_seen_subcommand_from ${below.join(' ')}`] : [];
  const when = [...seen, ...notYet].join('; and ');
  const condition = when === '' ? '' : ` -n '${when}'`;
  const flag = word.startsWith('--') ? `-l ${word.slice(2)}` : `-a ${word}`;
  const list = fixed.get(word);
  const values = word === DATABASE_OPTION ? `(${LIST_DATABASES})` : list?.join(' ');
  const given = values === undefined ? '' : ` -x -a '${values}'`;
  return `complete -c joinery${condition} ${flag}${given} -d '${plain(about)}'`;
}

/** Escapes text for single quotes of all shells and for zsh's colon syntax. */
function plain(about: string): string {
  return about.replaceAll(/['\\]/g, '').replaceAll(':', ' ');
}
