/** In the header: the project that changes are written to, and the dialog that shows them before. */
import { Text, Tooltip } from '@mantine/core';
import { useSyncExternalStore } from 'react';
import { useClient } from '../../api/context.ts';
import type { ReviewDesk } from '../../api/project-review.ts';
import { linkTo } from '../../router/location.ts';
import { StatusDot } from '../../ui/feedback/status-dot.tsx';
import { counted } from '../../ui/format.ts';
import { onDemand } from '../../ui/page/on-demand.tsx';
import classes from './project.module.css';
import { useProject } from './project-api.ts';

const ReviewDialog = onDemand(async () => (await import('./review-dialog.tsx')).ReviewDialog);

interface ProjectIndicatorProps {
  readonly name: string;
  readonly folder: string;
}

export function ProjectIndicator({ name, folder }: ProjectIndicatorProps) {
  const { data } = useProject();
  const { reviewDesk } = useClient();
  const isBlocked = data !== undefined && (data.differences.length > 0 || data.problem !== undefined);
  const changes = counted(data?.changes.length ?? 0, 'change');
  const about = isBlocked
    ? 'The files differ from the metadata of the service: changes are rejected'
    : `Changes are written to ${folder}`;
  return (
    <>
      <Tooltip label={about}>
        <a className={classes.indicator} {...linkTo('/project')}>
          <StatusDot tone={isBlocked ? 'bad' : 'good'}>{name}</StatusDot>
          <Text span size="xs" c="dimmed" visibleFrom="sm">
            {isBlocked ? 'files differ' : changes}
          </Text>
        </a>
      </Tooltip>
      {reviewDesk !== undefined && <Reviews desk={reviewDesk} />}
    </>
  );
}

function Reviews({ desk }: { readonly desk: ReviewDesk }) {
  const isReviewing = useSyncExternalStore(desk.subscribe, desk.current) !== undefined;
  if (!isReviewing) return null;
  return <ReviewDialog desk={desk} />;
}
