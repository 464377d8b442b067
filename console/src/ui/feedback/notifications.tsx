/** Notifications about completed commands, announced to screen readers. */
import { Affix, CloseButton, Group, Paper, Text } from '@mantine/core';
import { createContext, type ReactNode, useCallback, useContext, useEffect, useState } from 'react';
import { TickIcon } from '../page/icons.tsx';

export interface Notice {
  readonly title: string;
  readonly text?: ReactNode;
}

type Notify = (notice: Notice) => void;

const NotifyContext = createContext<Notify>(() => undefined);

/** Returns a function that shows a notification for some seconds. */
export function useNotify(): Notify {
  return useContext(NotifyContext);
}

const SHOWN_MS = 8_000;

export function Notifications({ children }: { readonly children: ReactNode }) {
  const [notice, setNotice] = useState<Notice>();
  const notify = useCallback((shown: Notice) => setNotice(shown), []);
  useEffect(() => {
    if (notice === undefined) return;
    const timer = setTimeout(() => setNotice(undefined), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [notice]);
  return (
    <NotifyContext value={notify}>
      {children}
      <Affix position={{ bottom: 20, right: 20 }} zIndex={400}>
        <output aria-live="polite">
          {notice !== undefined && (
            <Paper withBorder shadow="md" p="sm" maw="min(26rem, calc(100vw - 40px))">
              <Group wrap="nowrap" align="flex-start" gap="sm">
                <Text c="pine" lh={0} mt={2} aria-hidden="true">
                  <TickIcon />
                </Text>
                <div>
                  <Text size="sm" fw={600}>
                    {notice.title}
                  </Text>
                  {notice.text !== undefined && (
                    <Text size="sm" c="dimmed" component="div">
                      {notice.text}
                    </Text>
                  )}
                </div>
                <CloseButton size="sm" aria-label="Dismiss" onClick={() => setNotice(undefined)} />
              </Group>
            </Paper>
          )}
        </output>
      </Affix>
    </NotifyContext>
  );
}
