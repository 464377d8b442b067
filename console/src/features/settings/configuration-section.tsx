/** The configuration of the responding node and the origin of each value. */
import type { ConfigurationSetting } from '@joinery/metadata/api/nodes';
import { Checkbox, Code, Group, Paper, Stack, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useClient } from '../../api/context.ts';
import { toFailure } from '../../api/failure.ts';
import { readConfiguration } from '../../api/metadata.ts';
import { updateSearch, useLocation } from '../../router/location.ts';
import { EmptyState } from '../../ui/feedback/empty-state.tsx';
import { FailureNotice } from '../../ui/feedback/failure-notice.tsx';
import { Loading } from '../../ui/feedback/loading.tsx';
import { sentence } from '../../ui/format.ts';
import classes from './configuration.module.css';
import { matching } from './matching.ts';

export function ConfigurationSection() {
  const client = useClient();
  const { search } = useLocation();
  const text = search.get('search') ?? '';
  const [changed, setChanged] = useState(false);
  const { data, error, refetch } = useQuery({
    queryKey: ['configuration'],
    queryFn: ({ signal }) => readConfiguration(client, signal),
  });
  if (error !== null) {
    return <FailureNotice title="The settings could not be read" failure={toFailure(error)} onRetry={refetch} />;
  }
  if (data === undefined) return <Loading />;
  const shown = matching(data, text, changed);
  return (
    <Stack gap="sm">
      <Text size="sm" c="dimmed" maw={640}>
        The settings of the responding node: from flags, from its environment or by default. Secrets are shown as ***.
      </Text>
      <Group gap="md" align="center">
        <TextInput
          aria-label="Search the settings"
          placeholder="Name, value or description"
          w="min(22rem, 100%)"
          value={text}
          onChange={(event) => updateSearch({ search: event.currentTarget.value || undefined })}
        />
        <Checkbox
          label="Only settings that are set"
          checked={changed}
          onChange={(event) => setChanged(event.currentTarget.checked)}
        />
      </Group>
      {shown.length === 0 ? (
        <EmptyState title="No setting matches">Search for another part of a name, a value or a description.</EmptyState>
      ) : (
        <Paper withBorder bg="var(--joinery-surface)">
          <ul className={classes.list} aria-label="Settings">
            {shown.map((setting) => (
              <SettingLine key={setting.name} setting={setting} />
            ))}
          </ul>
        </Paper>
      )}
    </Stack>
  );
}

function SettingLine({ setting }: { readonly setting: ConfigurationSetting }) {
  const { name, flag, value, from, meaning } = setting;
  return (
    <li className={classes.setting}>
      <div>
        <Text size="sm" fw={600} style={{ overflowWrap: 'anywhere' }}>
          {name}
        </Text>
        <Text size="sm" c="dimmed">
          {sentence(meaning)}
        </Text>
      </div>
      <div>
        {value === null || value === '' ? (
          <Text size="sm" c="dimmed">
            Not set
          </Text>
        ) : (
          <Code className={classes.value ?? ''}>{value}</Code>
        )}
        <Text size="xs" c="dimmed" mt={2}>
          {where(setting)}
        </Text>
      </div>
    </li>
  );

  function where({ default: usual }: ConfigurationSetting): string {
    if (from === 'default') return value === null ? `Set by ${flag}` : 'Default';
    const source = from === 'flag' ? `From ${flag}` : 'From the environment';
    return usual === null ? source : `${source}; default ${usual}`;
  }
}
