/** The command palette: opens every page, object and command by name. */
import { Combobox, Kbd, Modal, Text, TextInput, useCombobox } from '@mantine/core';
import { useLocalStorage } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { type KeyboardEvent, useEffect, useMemo, useRef, useState } from 'react';
import { useClient } from '../../api/context.ts';
import { metadataOf, readConfiguration, useMetadata } from '../../api/metadata.ts';
import { navigate, openInNewTab } from '../../router/location.ts';
import { useEscape } from '../../ui/dialog/use-escape.ts';
import { isMac } from '../../ui/shortcuts/use-shortcuts.ts';
import classes from './palette.module.css';
import {
  commandEntries,
  cronEntries,
  metadataEntries,
  type PaletteEntry,
  pageEntries,
  settingEntries,
} from './palette-entries.ts';
import { searchPalette, withRecent } from './palette-search.ts';

interface PaletteProps {
  readonly opened: boolean;
  /** Commands of the shell, such as switching the theme. */
  readonly commands: readonly PaletteEntry[];
  readonly onClose: () => void;
}

export function Palette({ opened, commands, onClose }: PaletteProps) {
  useEscape(opened, onClose);
  return (
    <Modal.Root
      opened={opened}
      onClose={onClose}
      closeOnEscape={false}
      size="lg"
      yOffset="10vh"
      padding={0}
      zIndex={340}
      transitionProps={{ duration: 0 }}
    >
      <Modal.Overlay />
      <Modal.Content aria-label="Command palette">
        <Modal.Body>
          <Search commands={commands} onClose={onClose} />
        </Modal.Body>
      </Modal.Content>
    </Modal.Root>
  );
}

function Search({ commands, onClose }: Omit<PaletteProps, 'opened'>) {
  const entries = usePaletteEntries(commands);
  const [text, setText] = useState('');
  const [recent, setRecent] = useLocalStorage<readonly string[]>({
    key: 'joinery:recent',
    defaultValue: [],
    getInitialValueInEffect: false,
  });
  const combobox = useCombobox({ opened: true });
  const groups = useMemo(() => searchPalette(entries, text, recent), [entries, text, recent]);
  const inNewTab = useRef(false);
  const { selectFirstOption } = combobox;
  // biome-ignore lint/correctness/useExhaustiveDependencies: each search selects its first result
  useEffect(() => {
    selectFirstOption();
  }, [groups]);
  const open = (id: string): void => {
    const entry = entries.find((one) => one.id === id);
    if (entry === undefined) return;
    setRecent(withRecent(recent, id));
    onClose();
    if (typeof entry.target !== 'string') entry.target();
    else if (inNewTab.current) openInNewTab(entry.target);
    else navigate(entry.target);
  };
  const onKey = (event: KeyboardEvent): void => {
    inNewTab.current = isMac ? event.metaKey : event.ctrlKey;
    // The list of a combobox takes the key otherwise.
    if (event.key === 'Escape') onClose();
  };
  return (
    <Combobox store={combobox} onOptionSubmit={open} withinPortal={false}>
      <Combobox.EventsTarget withExpandedAttribute>
        <TextInput
          variant="unstyled"
          role="combobox"
          className={classes.search ?? ''}
          aria-label="Search pages, tables and commands"
          placeholder="Search pages, tables and commands"
          data-autofocus
          autoComplete="off"
          spellCheck={false}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
          onKeyDownCapture={onKey}
        />
      </Combobox.EventsTarget>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <section className={classes.scroll} aria-label="Results" tabIndex={0}>
        <Combobox.Options className={classes.options ?? ''} aria-label="Results">
          {groups.length === 0 && <Combobox.Empty>No result has that name.</Combobox.Empty>}
          {groups.map(({ title, entries: shown }) => (
            <Combobox.Group key={title} label={title}>
              {shown.map((entry) => (
                <Combobox.Option
                  key={entry.id}
                  value={entry.id}
                  className={classes.option ?? ''}
                  onMouseDownCapture={(event) => {
                    inNewTab.current = isMac ? event.metaKey : event.ctrlKey;
                  }}
                >
                  <span className={classes.label}>{entry.label}</span>
                  {entry.detail !== undefined && <span className={classes.detail}>{entry.detail}</span>}
                  <span className={classes.kind}>{entry.kind}</span>
                </Combobox.Option>
              ))}
            </Combobox.Group>
          ))}
        </Combobox.Options>
      </section>
      <Text size="xs" c="dimmed" className={classes.keys ?? ''} component="div">
        <span>
          <Kbd size="xs">↑</Kbd> <Kbd size="xs">↓</Kbd> select
        </span>
        <span>
          <Kbd size="xs">Enter</Kbd> open
        </span>
        <span>
          <Kbd size="xs">{isMac ? '⌘' : 'Ctrl'}</Kbd> <Kbd size="xs">Enter</Kbd> open in a new tab
        </span>
      </Text>
    </Combobox>
  );
}

function usePaletteEntries(commands: readonly PaletteEntry[]): readonly PaletteEntry[] {
  const client = useClient();
  const metadata = useMetadata(metadataOf).data;
  const configuration = useQuery({
    queryKey: ['configuration'],
    queryFn: ({ signal }) => readConfiguration(client, signal),
  }).data;
  const cron = useQuery({
    queryKey: ['cron', 'triggers'],
    queryFn: async ({ signal }) => (await client.command('get_cron_triggers', {}, { signal })).cron_triggers,
  }).data;
  return useMemo(() => {
    const sources = metadata?.sources ?? [];
    const inMetadata = new Set(metadata?.cron_triggers?.map(({ name }) => name));
    return [
      ...commands,
      ...commandEntries(sources.length === 1 ? sources[0]?.name : undefined),
      ...pageEntries(),
      ...(metadata === undefined ? [] : metadataEntries(metadata)),
      ...cronEntries((cron ?? []).map(({ name }) => name).filter((name) => !inMetadata.has(name))),
      ...settingEntries((configuration ?? []).map(({ name }) => name)),
    ];
  }, [commands, metadata, configuration, cron]);
}
