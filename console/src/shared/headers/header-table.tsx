/** The configured headers. */
import { Code, Table, Text } from '@mantine/core';
import type { ShownHeader } from './header-draft.ts';

export function HeaderTable({ headers }: { readonly headers: readonly ShownHeader[] }) {
  if (headers.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        Only Content-Type and User-Agent, which the service sets.
      </Text>
    );
  }
  return (
    <Table layout="fixed" fz="sm" horizontalSpacing={0} verticalSpacing={5}>
      <Table.Tbody>
        {headers.map(({ name, value, value_from_env: variable }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a header may stand there twice
          <Table.Tr key={index}>
            <Table.Th scope="row" fw={400} c="dimmed" w="34%" pe="sm" style={{ overflowWrap: 'anywhere' }}>
              {name}
            </Table.Th>
            <Table.Td style={{ overflowWrap: 'anywhere' }}>
              {variable === undefined ? (
                value
              ) : (
                <>
                  <Text span size="sm" c="dimmed">
                    from environment
                  </Text>{' '}
                  <Code>{variable}</Code>
                </>
              )}
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}
