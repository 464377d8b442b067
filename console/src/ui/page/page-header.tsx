/** The header of a page: title, description and actions. Also sets the window title. */
import { Anchor, Group, Text, Title } from '@mantine/core';
import { type ReactNode, useEffect } from 'react';
import { linkTo, useLocation } from '../../router/location.ts';
import { DocsLink } from '../docs/docs-link.tsx';
import { docsOf } from '../docs/docs-pages.ts';
import { BackIcon } from './icons.tsx';

interface PageHeaderProps {
  readonly title: string;
  readonly about?: string;
  readonly actions?: ReactNode;
  readonly back?: { readonly to: string; readonly label: string };
}

export function PageHeader({ title, about, actions, back }: PageHeaderProps) {
  const place = docsOf(useLocation().path);
  useEffect(() => {
    document.title = `${title} · Joinery`;
  }, [title]);
  return (
    <header>
      {back !== undefined && (
        <Anchor
          {...linkTo(back.to)}
          underline="hover"
          size="sm"
          display="inline-flex"
          style={{ alignItems: 'center', gap: 2 }}
          mb={6}
        >
          <BackIcon size={16} />
          {back.label}
        </Anchor>
      )}
      <Group justify="space-between" align="flex-start" gap="sm">
        <div>
          <Group gap={4} wrap="nowrap">
            <Title order={1}>{title}</Title>
            {place !== undefined && <DocsLink place={place} about={title} />}
          </Group>
          {about !== undefined && (
            <Text size="sm" c="dimmed" mt={4} maw={640}>
              {about}
            </Text>
          )}
        </div>
        {actions}
      </Group>
    </header>
  );
}
