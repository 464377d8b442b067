/** `joinery doctor`: checks a project, its service and its databases, and suggests fixes. */
import { existsSync } from 'node:fs';
import type { ExportedMetadata } from '@joinery/metadata/document/exported-metadata';
import { CliError } from '../../cli-error.ts';
import { type Connection, connect } from '../../client/connection.ts';
import { requireSameVersion } from '../../client/service-version.ts';
import { type OutputFlags, paint, printJson, printLine, wantsJson } from '../../print.ts';
import { openProject, type Project } from '../../project/config.ts';
import type { ProjectFlags } from '../../project/flags.ts';
import { checkDatabase } from './database.ts';
import { checkHasuraTriggers, checkOrphans, type OrphanFlags } from './event-triggers.ts';
import { type Finding, finding } from './finding.ts';
import { checkHandlers } from './handlers.ts';
import { changeCatalog, checkCatalog } from './hasura-catalog.ts';
import { checkConsistency, checkGetMutations, checkLimits } from './metadata.ts';

export interface DoctorFlags extends ProjectFlags, OutputFlags, OrphanFlags {
  /** Exit code 1 for warnings too. */
  readonly strict?: boolean;
  /** Creates views of the schema `hdb_catalog`. */
  readonly hasuraCatalog?: boolean;
  readonly removeHasuraCatalog?: boolean;
  /** Only lists what event triggers have left. */
  readonly orphans?: boolean;
}

/** Resolves with 1 where there is a problem. */
export async function doctor(flags: DoctorFlags): Promise<number> {
  const json = wantsJson(flags);
  const findings = await collectFindings(flags);
  const problems = findings.filter(({ status }) => status === 'problem').length;
  const warnings = findings.filter(({ status }) => status === 'warning').length;
  if (json) printJson({ problems, warnings, findings });
  else {
    for (const one of findings) printFinding(one);
    printLine(`\n${problems} problem${problems === 1 ? '' : 's'}, ${warnings} warning${warnings === 1 ? '' : 's'}.`);
  }
  return problems > 0 || (flags.strict === true && warnings > 0) ? 1 : 0;
}

async function collectFindings(flags: DoctorFlags): Promise<readonly Finding[]> {
  const project = await attempt('configuration', () => openProject(flags, process.env));
  if (isFinding(project)) return [project];
  const findings = await checkAll(project, flags);
  return findings.map((one) =>
    one.advice === undefined ? one : { ...one, advice: withDocsAddress(one.advice, project.endpoint) },
  );
}

/** Replaces the path of a page of the documentation with its address at the service. */
function withDocsAddress(advice: string, endpoint: string): string {
  return advice.replace(/(?<=^|[ (])\/docs\//g, `${endpoint.replace(/\/+$/, '')}/docs/`);
}

async function checkAll(project: Project, flags: DoctorFlags): Promise<readonly Finding[]> {
  const findings: Finding[] = [...checkConfiguration(project)];
  const connection = connect(project);
  const service = await attempt('service', async () => {
    await requireSameVersion(connection);
    return checkService(project, connection);
  });
  if (isFinding(service)) return [...findings, service];
  findings.push(...service);
  const metadata = await attempt('metadata', () => connection.command('export_metadata', {}));
  if (isFinding(metadata)) return [...findings, metadata];
  if (flags.orphans === true) return several('orphans', () => checkOrphans(connection, metadata, flags));
  const change = catalogChange(flags);
  if (change !== undefined) return changeCatalogs(connection, metadata, change, flags.databaseName);
  findings.push(
    ...(await several('metadata', () => checkConsistency(connection, metadata))),
    ...(await checkGetMutations(metadata)),
  );
  findings.push(...(await several('limits', () => checkLimits(connection))));
  for (const { name } of metadata.sources) {
    findings.push(
      ...(await several(`database ${name}`, () => checkDatabase(connection, metadata, name))),
      ...(await several(`database ${name}`, () => checkCatalog(connection, name))),
      ...(await several(`database ${name}`, () => checkHasuraTriggers(connection, metadata, name))),
    );
  }
  findings.push(...(await checkHandlers(metadata, project.environment)));
  return findings;
}

function catalogChange({
  hasuraCatalog,
  removeHasuraCatalog,
  databaseName,
  databaseUrlEnv,
  remove,
}: DoctorFlags): 'create' | 'remove' | undefined {
  if (hasuraCatalog === true && removeHasuraCatalog === true) {
    throw new CliError('--hasura-catalog and --remove-hasura-catalog exclude each other');
  }
  if (hasuraCatalog === true) return 'create';
  if (removeHasuraCatalog === true) return 'remove';
  if (databaseName !== undefined)
    throw new CliError('--database-name needs --hasura-catalog, --remove-hasura-catalog or --orphans');
  if (remove === true || databaseUrlEnv !== undefined)
    throw new CliError('--remove and --database-url-env need --orphans');
  return undefined;
}

async function changeCatalogs(
  connection: Connection,
  { sources }: ExportedMetadata,
  change: 'create' | 'remove',
  only: string | undefined,
): Promise<readonly Finding[]> {
  const names = sources.filter(({ kind }) => kind === 'postgres').map(({ name }) => name);
  if (only !== undefined && !names.includes(only)) {
    throw new CliError(`the service has no PostgreSQL source "${only}"; it has ${names.join(', ') || 'none'}`);
  }
  const findings: Finding[] = [];
  for (const name of only === undefined ? names : [only]) {
    findings.push(...(await several(`database ${name}`, () => changeCatalog(connection, name, change))));
  }
  return findings;
}

function checkConfiguration(project: Project): readonly Finding[] {
  const { metadataDirectory, metadataFile, endpoint, adminSecret } = project;
  const place = metadataFile ?? metadataDirectory;
  const isLocal = ['localhost', '127.0.0.1', '[::1]'].includes(new URL(endpoint).hostname);
  return [
    existsSync(place)
      ? finding('configuration', 'ok', `the project's metadata is in ${place}`)
      : finding('configuration', 'warning', `${place} does not exist`, 'run this in the project, or give --project'),
    ...(isLocal || adminSecret !== undefined
      ? []
      : [
          finding(
            'configuration',
            'problem',
            `${endpoint} is called without an admin secret`,
            'start the service with JOINERY_ADMIN_SECRET, and give the same to the commands',
          ),
        ]),
    ...(endpoint.startsWith('http://') && !isLocal
      ? [finding('configuration', 'warning', 'the admin secret goes over plain http', 'use https beyond this machine')]
      : []),
  ];
}

async function checkService(project: Project, connection: Connection): Promise<readonly Finding[]> {
  const { status, body } = await connection.get('/readyz');
  const { waiting_for: waiting = [] } = (typeof body === 'object' && body !== null ? body : {}) as {
    readonly waiting_for?: readonly string[];
  };
  return [
    finding('service', 'ok', `${project.endpoint} responds and has a compatible version`),
    status === 200
      ? finding('service', 'ok', 'it is ready')
      : finding(
          'service',
          'problem',
          `it waits for ${waiting.join(', ') || 'something'}`,
          'see its log; is the database up?',
        ),
  ];
}

const marks = { ok: ['green', 'ok     '], warning: ['yellow', 'warning'], problem: ['red', 'problem'] } as const;

function printFinding({ status, check, message, advice }: Finding): void {
  const [style, mark] = marks[status];
  printLine(`${paint(style, mark)}  ${check}: ${message}`);
  if (advice !== undefined) printLine(`         ${paint('dim', `-> ${advice}`)}`);
}

async function attempt<T>(check: string, work: () => Promise<T>): Promise<T | Finding> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    return finding(check, 'problem', error.message);
  }
}

async function several(check: string, work: () => Promise<readonly Finding[]>): Promise<readonly Finding[]> {
  const found = await attempt(check, work);
  return isFinding(found) ? [found] : found;
}

function isFinding(value: unknown): value is Finding {
  return typeof value === 'object' && value !== null && 'check' in value && 'status' in value;
}
