/** Checks the consistency of the metadata. */
import type { InconsistentObject } from '@joinery/metadata/api/metadata';
import type { ExportedMetadata } from '@joinery/metadata/document/exported-metadata';
import type { Connection } from '../../client/connection.ts';
import { countOthers, groupByCause } from '../metadata/causes.ts';
import { bySeverity } from '../metadata/report.ts';
import { type Finding, finding } from './finding.ts';

/** Groups members without effect by name and advice. */
function groupedMembers(members: readonly InconsistentObject[]): ReadonlyMap<string, readonly InconsistentObject[]> {
  const groups = new Map<string, InconsistentObject[]>();
  for (const one of members) {
    const key = one.reason.replace(/^in .*?: (?=the member )/, '');
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [one]);
    else group.push(one);
  }
  return groups;
}

/** Reports inconsistent objects, one finding for each cause, and members that have no effect. */
export async function checkConsistency(
  connection: Pick<Connection, 'command'>,
  metadata?: ExportedMetadata,
): Promise<readonly Finding[]> {
  const { inconsistent_objects: objects } = await connection.command('get_inconsistent_metadata', {});
  const { broken, unsupported } = bySeverity(objects);
  const ignored = [...groupedMembers(unsupported)].map(([, [first, ...others]]) => {
    const [message = '', advice] = (first?.reason ?? '').split(/(?<=has no effect); /);
    const more = others.length === 0 ? '' : ` and ${others.length} more`;
    return finding('metadata', 'warning', `${message} (${first?.path})${more}`, advice);
  });
  if (broken.length === 0) return [finding('metadata', 'ok', 'every object can be used'), ...ignored];
  const problems = groupByCause(broken, metadata).map((cause) =>
    finding(
      'metadata',
      'problem',
      `${cause.object.name} cannot be used: ${cause.object.reason}${countOthers(cause)}`,
      'fix it in the metadata or the database, then run "joinery metadata reload"',
    ),
  );
  return [...problems, ...ignored];
}

/** Reports the API limits that reject stored or recent operations. */
export async function checkLimits(connection: Pick<Connection, 'command'>): Promise<readonly Finding[]> {
  const { enforced, limits } = await connection.command('get_limited_operations', {});
  const advice = enforced
    ? 'raise or remove the limit, or set JOINERY_ENFORCE_API_LIMITS=false on the service to have it reported alone'
    : 'raise or remove the limit before you remove JOINERY_ENFORCE_API_LIMITS=false';
  return limits.map(({ message, path }) => finding('limits', 'warning', `${message} (${path})`, advice));
}

/** Reports REST endpoints that run a mutation for GET requests. */
export async function checkGetMutations({
  rest_endpoints = [],
  query_collections = [],
}: ExportedMetadata): Promise<readonly Finding[]> {
  const forGet = rest_endpoints.filter(({ methods }) => methods.includes('GET'));
  if (forGet.length === 0) return [];
  const graphql = await import('graphql');
  return forGet
    .filter(({ definition: { query } }) => {
      const collection = query_collections.find(({ name }) => name === query.collection_name);
      const document = collection?.definition.queries.find(({ name }) => name === query.query_name)?.query;
      return document !== undefined && mutates(graphql, document);
    })
    .map(({ name }) =>
      finding(
        'metadata',
        'warning',
        `REST endpoint "${name}" runs a mutation for GET requests, which any web page can make a browser send`,
        'serve it with POST, PUT, PATCH or DELETE',
      ),
    );
}

function mutates({ Kind, parse }: typeof import('graphql'), document: string): boolean {
  try {
    return parse(document).definitions.some(
      (one) => one.kind === Kind.OPERATION_DEFINITION && one.operation === 'mutation',
    );
  } catch {
    return false;
  }
}
