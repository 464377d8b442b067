/** Enum types of the columns of a table. */
import { Anchor, Stack, Text } from '@mantine/core';
import { linkTo } from '../../../router/location.ts';
import { sourcePath } from '../../../shared/sources/table-paths.ts';
import { Section } from '../../../ui/page/section.tsx';
import { EnumTypeList } from './enum-type-list.tsx';
import type { EnumType } from './enum-types-api.ts';

interface EnumTypesSectionProps {
  readonly source: string;
  readonly types: readonly EnumType[];
}

export function EnumTypesSection({ source, types }: EnumTypesSectionProps) {
  if (types.length === 0) return null;
  return (
    <Section title="Enum types of its columns">
      <Stack gap="sm">
        <EnumTypeList source={source} types={types} />
        <Text size="sm" c="dimmed">
          Those of all tables are on the page{' '}
          <Anchor inherit {...linkTo(`${sourcePath(source)}/enum-types`)}>
            Enum types
          </Anchor>
          .
        </Text>
      </Stack>
    </Section>
  );
}
