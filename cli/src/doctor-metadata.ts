/** Whether all of the metadata can be used, and what of it has no effect. */
import { unreadMembers } from '@joinery/metadata/metadata';
import type { Connection } from './connection.ts';
import { type DoctorMetadata, type Finding, finding } from './doctor-finding.ts';
import { isEmpty } from './project.ts';

/** Objects that the service cannot use. */
export async function checkConsistency(connection: Connection): Promise<readonly Finding[]> {
  const { inconsistent_objects: objects } = (await connection.command('get_inconsistent_metadata', {})) as {
    readonly inconsistent_objects: readonly { readonly name: string; readonly reason: string }[];
  };
  if (objects.length === 0) return [finding('metadata', 'ok', 'every object can be used')];
  return objects.map(({ name, reason }) =>
    finding(
      'metadata',
      'problem',
      `${name} cannot be used: ${reason}`,
      'mend it in the metadata or the database, then "joinery metadata reload"',
    ),
  );
}

const insteadOf: Readonly<Record<(typeof unreadMembers)[number], string>> = {
  network: 'nothing loosens the check of certificates; give NODE_EXTRA_CA_CERTS to the service for those of your own',
  metrics_config: 'docs/metrics.md has the metrics that there are',
  opentelemetry: 'set OTEL_EXPORTER_OTLP_ENDPOINT and the other variables of docs/tracing.md for the service',
  backend_configs: 'sources are PostgreSQL; others are kept and not read',
};

/** Members of the metadata that another product reads. */
export function checkUnread(metadata: DoctorMetadata): readonly Finding[] {
  const written: Readonly<Record<string, unknown>> = { ...metadata };
  return unreadMembers
    .filter((member) => !isEmpty(written[member]))
    .map((member) => finding('metadata', 'warning', `"${member}" is kept and has no effect here`, insteadOf[member]));
}
