/** The headers that were sent and received. The secret of the sign-in is not shown. */

import type { Headers } from '../../../shared/graphql/graphql-api.ts';
import { PlainTable } from '../../../ui/table/plain-table.tsx';
import classes from './response.module.css';

export function HeadersView({ sent, received }: { readonly sent: Headers; readonly received: Headers }) {
  return (
    <div className={classes.padded}>
      <HeaderTable title="Sent" headers={sent} />
      <HeaderTable title="Received" headers={received} />
    </div>
  );
}

function HeaderTable({ title, headers }: { readonly title: string; readonly headers: Headers }) {
  return (
    <PlainTable
      aria-label={title}
      rows={Object.entries(headers)}
      keyOf={([name]) => name}
      columns={[
        { key: 'name', header: title, isRowHeader: true, cell: ([name]) => name },
        {
          key: 'value',
          header: 'Value',
          cell: ([, value]) => value,
          cellProps: { style: { overflowWrap: 'anywhere' } },
        },
      ]}
    />
  );
}
