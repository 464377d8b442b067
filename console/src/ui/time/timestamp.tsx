/** A time on one line: how far it is from now, and the exact time on hover. */
import { Text } from '@mantine/core';
import { localText, localZone, relative, utcText } from './times.ts';
import { useNow } from './use-now.ts';

interface TimestampProps {
  /** An ISO 8601 timestamp. */
  readonly at: string;
  /** Shows the exact time before the distance. */
  readonly withDistance?: boolean;
}

export function Timestamp({ at, withDistance = false }: TimestampProps) {
  const now = useNow();
  const ms = Date.parse(at);
  const distance = relative(ms, now);
  return (
    <time dateTime={at} title={`${localText(ms)} (${localZone()})\n${utcText(ms)}`} style={{ whiteSpace: 'nowrap' }}>
      {withDistance ? (
        <>
          {localText(ms)}
          <Text span size="xs" c="dimmed" fw={400}>
            {` · ${distance}`}
          </Text>
        </>
      ) : (
        distance
      )}
    </time>
  );
}
