/** First steps with an empty service. */
import { Anchor, List, Paper, Title } from '@mantine/core';
import { linkTo } from '../../router/location.ts';
import { useSources } from '../../shared/sources/use-sources.ts';

/** Renders nothing once a table is tracked. */
export function FirstSteps() {
  const { data: sources } = useSources();
  if (sources === undefined || sources.some(({ tables }) => tables.length > 0)) return null;
  const [first] = sources;
  return (
    <Paper withBorder p="md" bg="var(--joinery-surface)" component="section" aria-labelledby="first-steps">
      <Title order={2} id="first-steps" mb="xs">
        First steps
      </Title>
      <List type="ordered" size="sm" spacing={6}>
        <List.Item>
          {first === undefined ? (
            <Anchor inherit {...linkTo('/data')}>
              Add a source
            </Anchor>
          ) : (
            <Anchor inherit {...linkTo(`/data/${encodeURIComponent(first.name)}`)}>
              Track tables
            </Anchor>
          )}{' '}
          of your database, or{' '}
          <Anchor inherit {...linkTo('/sql')}>
            run SQL
          </Anchor>{' '}
          that makes some: the GraphQL schema has what is tracked.
        </List.Item>
        <List.Item>
          <Anchor inherit {...linkTo('/actions/new')}>
            Create an action
          </Anchor>{' '}
          that your REST endpoint implements, and join its output to a table.
        </List.Item>
        <List.Item>
          <Anchor inherit {...linkTo('/explore')}>
            Request both
          </Anchor>{' '}
          in one request, as any role.
        </List.Item>
        <List.Item>
          <Anchor inherit {...linkTo('/events/one-off/schedule')}>
            Schedule an event
          </Anchor>{' '}
          that calls a webhook once, at its time.
        </List.Item>
      </List>
    </Paper>
  );
}
