/** The workflows in .github/workflows are valid, need few permissions, and run commands and files that exist. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { convertWorkflowTemplate, NoOperationTraceWriter, parseWorkflow } from '@actions/workflow-parser';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { kinds } from '../simulation/kinds.ts';

const root = new URL('../../../', import.meta.url);
const read = (path: string) => readFileSync(new URL(path, root), 'utf8');
const folder = '.github/workflows/';
const workflows = readdirSync(new URL(folder, root)).map((name) => folder + name);

interface Workflow {
  readonly permissions?: Readonly<Record<string, string>>;
  readonly jobs: Readonly<Record<string, Job>>;
}

interface Job {
  readonly 'timeout-minutes'?: number;
  readonly steps: readonly {
    readonly run?: string;
    readonly uses?: string;
    readonly with?: Readonly<Record<string, string>>;
  }[];
}

const jobsOf = (path: string) => Object.values((parse(read(path)) as Workflow).jobs);
const stepsOf = (path: string) => jobsOf(path).flatMap(({ steps }) => steps);
const linesOf = (path: string) =>
  stepsOf(path).flatMap(({ run = '' }) => run.split('\n').filter((line) => line !== ''));

/** Returns the errors of the parser of GitHub. */
async function errorsIn(name: string, content: string): Promise<readonly string[]> {
  const { context, value } = parseWorkflow({ name, content }, new NoOperationTraceWriter());
  if (value !== undefined) await convertWorkflowTemplate(context, value);
  return context.errors.getErrors().map(({ message }) => message);
}

it('reports unknown members and wrong expressions', async () => {
  const expression = ['$', '{{ wrong( }}'].join('');
  const wrong = `on: push\njobs:\n  one:\n    runs-on: x\n    permission: {}\n    steps:\n      - run: echo ${expression}\n`;
  expect(await errorsIn('wrong.yml', wrong)).toEqual([
    expect.stringContaining('Unexpected value'),
    expect.stringMatching(/expression/i),
  ]);
});

describe.each(workflows)('%s', (path) => {
  it('is valid', async () => {
    expect(await errorsIn(path, read(path))).toEqual([]);
  });

  it('reads the repository only, where a job does not declare more', () => {
    expect((parse(read(path)) as Workflow).permissions).toEqual({ contents: 'read' });
  });

  it('limits the time of each job', () => {
    expect(jobsOf(path).filter((job) => job['timeout-minutes'] === undefined)).toEqual([]);
  });

  it('uses actions of a fixed major version or commit', () => {
    const uses = stepsOf(path).flatMap((step) => step.uses ?? []);
    expect(uses.length).toBeGreaterThan(0);
    expect(uses.filter((action) => !/^[\w-]+\/[\w-]+@(v\d+|[0-9a-f]{40})$/.test(action))).toEqual([]);
  });

  it('runs scripts of package.json that exist', () => {
    const { scripts } = JSON.parse(read('package.json')) as { readonly scripts: Readonly<Record<string, string>> };
    const names = linesOf(path).flatMap((line) => /^npm run (\S+)/.exec(line)?.[1] ?? []);
    expect(names.filter((name) => scripts[name] === undefined)).toEqual([]);
  });
});

it('the workflows name files that exist', () => {
  const lines = workflows.flatMap(linesOf);
  const run = lines.flatMap((line) => /^(?:node )?(\.ci\/\S+)/.exec(line)?.[1] ?? []);
  const given = workflows.flatMap(stepsOf).flatMap((step) => step.with?.file ?? []);
  const folders = lines.flatMap((line) => /--prefix (\S+)/.exec(line)?.[1] ?? []);
  expect([run, given, folders].map((files) => files.length > 0)).toEqual([true, true, true]);
  expect([...run, ...given, ...folders].filter((file) => !existsSync(new URL(file, root)))).toEqual([]);
});

describe('the nightly workflow', () => {
  const { jobs } = parse(read(`${folder}nightly.yml`)) as {
    readonly jobs: Readonly<Record<string, { readonly strategy?: { readonly matrix: object } }>>;
  };

  it('tests the mutants of every area', () => {
    const areas = [...read('mutation/areas.mjs').matchAll(/^ {2}(\w+): \{/gm)].map(([, name]) => name);
    expect(jobs.mutation?.strategy?.matrix).toEqual({ area: areas });
  });

  it('simulates every kind', () => {
    expect(jobs.simulation?.strategy?.matrix).toEqual({ kind: Object.keys(kinds) });
  });
});
