/** Shows code that sends the operation. */
import { Tabs, Text } from '@mantine/core';
import { useState } from 'react';
import { type SnippetParts, snippets } from '../../../shared/graphql/snippets.ts';
import { Dialog } from '../../../ui/dialog/dialog.tsx';
import { JsonView } from '../../../ui/page/json-view.tsx';

interface CodeDialogProps {
  readonly opened: boolean;
  readonly parts: SnippetParts;
  readonly onClose: () => void;
}

export function CodeDialog({ opened, parts, onClose }: CodeDialogProps) {
  const [name, setName] = useState<string | null>('curl');
  return (
    <Dialog opened={opened} onClose={onClose} title="Code" size="xl">
      <Tabs value={name} onChange={setName}>
        <Tabs.List aria-label="Clients" mb="sm">
          {snippets.map((one) => (
            <Tabs.Tab key={one.name} value={one.name}>
              {one.name}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {snippets.map((one) => {
          const problem = one.problem?.(parts);
          return (
            <Tabs.Panel key={one.name} value={one.name}>
              {name === one.name && problem !== undefined && <Text size="sm">{problem}</Text>}
              {name === one.name && problem === undefined && (
                <JsonView plain what={`code for ${one.name}`} text={one.write(parts)} />
              )}
            </Tabs.Panel>
          );
        })}
      </Tabs>
      {parts.sendsSecret && (
        <Text size="xs" c="dimmed" mt="sm">
          The code reads the admin secret from the environment variable ADMIN_SECRET.
        </Text>
      )}
    </Dialog>
  );
}
