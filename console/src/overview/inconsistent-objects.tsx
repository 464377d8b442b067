/** The metadata objects that the service cannot use, each with the reason and with what was written. */
import { Accordion, Button, Code, Paper, Stack, Text, Title } from '@mantine/core';
import { useState } from 'react';
import { printPretty } from '../api/exact-json.ts';
import { JsonView } from '../show/json-view.tsx';
import { sentence } from '../show/words.ts';
import { type InconsistentObject, kindOf, reasonOf } from './inconsistencies.ts';
import classes from './inconsistent-objects.module.css';

/** So many are listed at first. */
const SHOWN = 50;

export function InconsistentObjects({ objects }: { readonly objects: readonly InconsistentObject[] }) {
  const [all, setAll] = useState(false);
  const shown = all ? objects : objects.slice(0, SHOWN);
  return (
    <Paper withBorder bg="var(--joinery-surface)" component="section" aria-labelledby="inconsistent">
      <Stack gap={4} p="md" pb="sm">
        <Title order={2} id="inconsistent">
          Inconsistent metadata objects
        </Title>
        <Text size="sm" c="dimmed" maw={720}>
          The service runs without them. Mend what a reason names, in the database or in the metadata, then reload the
          metadata.
        </Text>
      </Stack>
      <Accordion multiple order={3} chevronPosition="left" className={classes.list ?? ''}>
        {shown.map((object) => (
          <Accordion.Item key={`${object.path} ${object.name}`} value={`${object.path} ${object.name}`}>
            <Accordion.Control>
              <Text span size="sm" fw={600} display="block">
                {object.name}
              </Text>
              <Text span size="sm" style={{ overflowWrap: 'anywhere' }}>
                {sentence(reasonOf(object))}
              </Text>
            </Accordion.Control>
            <Accordion.Panel>
              <Stack gap="xs">
                <Text size="sm" c="dimmed">
                  {kindOf(object)} at <Code>{object.path}</Code>
                </Text>
                <JsonView what={`definition of ${object.name}`} text={printPretty(object.definition)} />
              </Stack>
            </Accordion.Panel>
          </Accordion.Item>
        ))}
      </Accordion>
      {shown.length < objects.length && (
        <Button variant="subtle" m="xs" onClick={() => setAll(true)}>
          Show all {objects.length}
        </Button>
      )}
    </Paper>
  );
}
