/** A local time with its distance from now, and UTC on hover. */
import { Text } from '@mantine/core';
import { localText, relative, utcText } from './times.ts';
import { useNow } from './use-now.ts';

interface TimestampProps {
  /** An ISO 8601 timestamp. */
  readonly at: string;
  readonly withDistance?: boolean;
}

export function Timestamp({ at, withDistance = false }: TimestampProps) {
  const now = useNow();
  const ms = Date.parse(at);
  return (
    <time dateTime={at} title={utcText(ms)}>
      <Text span inherit>
        {localText(ms)}
      </Text>
      {withDistance && (
        <Text span display="block" size="xs" c="dimmed" fw={400}>
          {relative(ms, now)}
        </Text>
      )}
    </time>
  );
}
