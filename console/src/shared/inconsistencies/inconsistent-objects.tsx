/** The inconsistent metadata objects, each with reason and definition. */
import type { InconsistentObject } from '@joinery/metadata/api/metadata';
import { Accordion, Button, Code, Group, Paper, Stack, Text, Title } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { printPretty } from '../../api/exact-json.ts';
import { kindOf, reasonOf } from '../../api/inconsistencies.ts';
import { metadataOf, useMetadata } from '../../api/metadata.ts';
import { linkTo } from '../../router/location.ts';
import { sentence } from '../../ui/format.ts';
import { JsonView } from '../../ui/page/json-view.tsx';
import classes from './inconsistent-objects.module.css';
import { linkOfObject } from './object-links.ts';

/** Number of objects that are listed at first. */
const SHOWN = 50;

interface InconsistentObjectsProps {
  readonly objects: readonly InconsistentObject[];
  /** Actions on all objects. */
  readonly actions?: ReactNode;
}

export function InconsistentObjects(props: InconsistentObjectsProps) {
  return (
    <ObjectSection
      id="inconsistent"
      title="Inconsistent metadata objects"
      about="The service runs without them. Fix the cause that a reason names, in the database or in the metadata, then reload the metadata."
      {...props}
    />
  );
}

/** Metadata members that are stored without effect, and columns without a GraphQL name. */
export function UnsupportedMembers({ objects }: Pick<InconsistentObjectsProps, 'objects'>) {
  return (
    <ObjectSection
      id="unsupported"
      title="Metadata without effect"
      about="These members of the metadata have no effect, and these columns are in no schema. Everything else is in use."
      objects={objects}
    />
  );
}

interface ObjectSectionProps extends InconsistentObjectsProps {
  readonly id: string;
  readonly title: string;
  readonly about: string;
}

function ObjectSection({ id, title, about, objects, actions }: ObjectSectionProps) {
  const [all, setAll] = useState(false);
  // Paths refer to the exported metadata, and links need names.
  const { data: exported } = useMetadata(metadataOf);
  const shown = all ? objects : objects.slice(0, SHOWN);
  return (
    <Paper withBorder bg="var(--joinery-surface)" component="section" aria-labelledby={id}>
      <Stack gap={4} p="md" pb="sm">
        <Group justify="space-between" align="flex-start" gap="xs">
          <Title order={2} id={id}>
            {title}
          </Title>
          {actions}
        </Group>
        <Text size="sm" c="dimmed" maw={720}>
          {about}
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
                <WayTo path={object.path} metadata={exported} />
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

function WayTo({ path, metadata }: { readonly path: string; readonly metadata: unknown }) {
  const link = linkOfObject(path, metadata);
  if (link === undefined) return null;
  return (
    <Button component="a" size="xs" variant="default" style={{ alignSelf: 'flex-start' }} {...linkTo(link.to)}>
      {link.label}
    </Button>
  );
}
