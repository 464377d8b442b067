/** Links from a row to the rows of its relationships. */
import { Anchor, List, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useClient } from '../../../api/context.ts';
import { linkTo } from '../../../router/location.ts';
import type { TableEntry } from '../../../shared/sources/sources-api.ts';
import { tableLabel } from '../../../shared/sources/table-paths.ts';
import { Section } from '../../../ui/page/section.tsx';
import { relatedRows, relatedTables } from '../row-model/related-rows.ts';
import type { Row } from '../row-model/row-values.ts';
import type { Target } from '../row-model/rows-api.ts';

interface RelatedLinksProps {
  readonly target: Target;
  readonly row: Row;
  readonly entry: TableEntry | undefined;
}

export function RelatedLinks({ target, row, entry }: RelatedLinksProps) {
  const client = useClient();
  const { source, table } = target;
  const { data } = useQuery({
    queryKey: ['metadata', 'related-tables', source, table],
    queryFn: ({ signal }) =>
      client.command('pg_suggest_relationships', { source, tables: [table], omit_tracked: false }, { signal }),
  });
  const tables = useMemo(() => relatedTables(data?.relationships ?? [], entry ?? {}), [data, entry]);
  const links = relatedRows(source, row, tables);
  if (links.length === 0) return null;
  return (
    <Section title="Related rows">
      <List size="sm" spacing={4} listStyleType="none">
        {links.map(({ name, type, table: other, to }) => (
          <List.Item key={`${type} ${name}`}>
            <Anchor {...linkTo(to)} inherit>
              {name}
            </Anchor>{' '}
            <Text span size="sm" c="dimmed">
              {type === 'object' ? 'the row' : 'rows'} of {tableLabel(other)}
            </Text>
          </List.Item>
        ))}
      </List>
    </Section>
  );
}
