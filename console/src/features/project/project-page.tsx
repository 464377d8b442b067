/** The changes of this console as files of the project: differences, list, undo. */

import type { ProjectChange, ProjectState } from '@joinery/metadata/api/project';
import { Alert, Button, Group, Stack, Switch, Text, Title } from '@mantine/core';
import { useState, useSyncExternalStore } from 'react';
import { useClient } from '../../api/context.ts';
import { toFailure } from '../../api/failure.ts';
import type { ReviewDesk } from '../../api/project-review.ts';
import { ConfirmDialog } from '../../ui/dialog/confirm-dialog.tsx';
import { FailureNotice } from '../../ui/feedback/failure-notice.tsx';
import { Loading } from '../../ui/feedback/loading.tsx';
import { notify } from '../../ui/feedback/notifications.tsx';
import { counted } from '../../ui/format.ts';
import { Disclosure } from '../../ui/page/disclosure.tsx';
import { AlertIcon } from '../../ui/page/icons.tsx';
import { PageHeader } from '../../ui/page/page-header.tsx';
import { Timestamp } from '../../ui/time/timestamp.tsx';
import { FileDiffs } from './file-diffs.tsx';
import classes from './project.module.css';
import { applyFiles, undoChange, useProject, writeFiles } from './project-api.ts';

export function ProjectPage() {
  const { data, error, refetch } = useProject();
  const { reviewDesk } = useClient();
  if (reviewDesk === undefined) return <NoProject />;
  if (data === undefined) {
    if (error === null) return <Loading />;
    return <FailureNotice title="The project could not be read" failure={toFailure(error)} onRetry={refetch} />;
  }
  const branch = data.branch === undefined ? '' : `, branch ${data.branch}`;
  return (
    <>
      <PageHeader
        title={`Project ${data.name}`}
        about={`Changes of this console are written to ${data.folder}${branch}. SQL that changes the schema becomes a migration; metadata is written to the metadata files.`}
      />
      <Stack gap="lg">
        <Differences state={data} />
        <ReviewSwitch desk={reviewDesk} />
        <Changes changes={data.changes} />
      </Stack>
    </>
  );
}

function NoProject() {
  return (
    <>
      <PageHeader title="Project" />
      <Text size="sm">
        This console writes no files. Run <code>joinery console</code> or <code>joinery dev</code> in the folder of a
        project, and open the address that it prints.
      </Text>
    </>
  );
}

const remedies = {
  write: {
    label: 'Write the metadata to the files',
    title: 'Write the metadata to the files?',
    about: 'The metadata files get the metadata of the service. Changes of the files that were not applied are lost.',
    done: 'The metadata was written to the files',
    failed: 'The files were not written',
    run: writeFiles,
  },
  apply: {
    label: 'Apply the files',
    title: 'Apply the files to the service?',
    about: 'The metadata of the service is replaced by that of the files. Changes made elsewhere are lost.',
    done: 'The files were applied',
    failed: 'The files were not applied',
    run: applyFiles,
  },
} as const;

/** Changes are rejected while the files and the metadata differ. */
function Differences({ state: { differences, problem } }: { readonly state: ProjectState }) {
  const client = useClient();
  const [chosen, setChosen] = useState<keyof typeof remedies>();
  const remedy = chosen === undefined ? undefined : remedies[chosen];
  if (problem !== undefined) {
    return (
      <Alert color="red" variant="outline" icon={<AlertIcon />} title="The metadata files cannot be read">
        <Text size="sm">{problem}</Text>
      </Alert>
    );
  }
  if (differences.length === 0) return null;
  return (
    <Alert
      color="yellow"
      variant="outline"
      icon={<AlertIcon />}
      title={`${counted(differences.length, 'file')} of the project ${differences.length === 1 ? 'differs' : 'differ'} from the metadata of the service`}
    >
      <Stack gap="sm">
        <Text size="sm">
          Changes are rejected until both are the same. Added lines below are in the service only, removed lines in the
          files only.
        </Text>
        <Group gap="sm">
          {(['write', 'apply'] as const).map((one) => (
            <Button key={one} size="xs" variant="default" onClick={() => setChosen(one)}>
              {remedies[one].label}
            </Button>
          ))}
        </Group>
        <FileDiffs files={differences} />
      </Stack>
      <ConfirmDialog
        title={remedy?.title}
        about={remedy?.about ?? ''}
        confirm={remedy?.label ?? ''}
        failed={remedy?.failed ?? ''}
        perform={async () => {
          await remedy?.run(client);
        }}
        onClose={() => setChosen(undefined)}
        onDone={() => {
          setChosen(undefined);
          notify({ title: remedy?.done ?? '' });
        }}
      />
    </Alert>
  );
}

function ReviewSwitch({ desk }: { readonly desk: ReviewDesk }) {
  const isShown = useSyncExternalStore(desk.subscribe, desk.showsMetadata);
  return (
    <Switch
      checked={isShown}
      onChange={(event) => desk.showMetadata(event.currentTarget.checked)}
      label="Show the files before each change of the metadata"
      description="SQL that changes the schema is always shown before it runs."
    />
  );
}

function Changes({ changes }: { readonly changes: readonly ProjectChange[] }) {
  const client = useClient();
  const [undone, setUndone] = useState<ProjectChange>();
  const [last] = changes;
  return (
    <section>
      <Title order={2} size="h4" mb="xs">
        Changes of this session
      </Title>
      {changes.length === 0 ? (
        <Text size="sm" c="dimmed">
          Nothing has been changed since the command was started.
        </Text>
      ) : (
        <ul className={classes.changes} aria-label="Changes of this session">
          {changes.map((change) => (
            <li key={change.id} className={classes.change}>
              <Group justify="space-between" align="flex-start" wrap="nowrap" gap="sm">
                <div className={classes.wide}>
                  <Disclosure
                    title={change.title}
                    hint={counted(change.files.length, 'file')}
                    initiallyOpened={change === last}
                  >
                    <FileDiffs files={change.files} />
                  </Disclosure>
                  <Text size="xs" c="dimmed" mt={2}>
                    <Timestamp at={change.at} />
                    {change.migrations.map(
                      ({ version, name, source }) => ` · migration ${version}_${name} of ${source}`,
                    )}
                    {change === last && change.cannotUndo !== undefined && ` · cannot be undone: ${change.cannotUndo}`}
                  </Text>
                </div>
                {change === last && change.cannotUndo === undefined && (
                  <Button size="xs" variant="default" flex="none" onClick={() => setUndone(change)}>
                    Undo
                  </Button>
                )}
              </Group>
            </li>
          ))}
        </ul>
      )}
      <ConfirmDialog
        title={undone && `Undo ${undone.title}?`}
        about={
          undone?.migrations.length === 0
            ? 'The metadata and its files get their former content.'
            : 'Runs down.sql, which can delete rows, removes the migration, and gives the metadata and its files their former content.'
        }
        confirm="Undo the change"
        failed="The change was not undone"
        perform={async () => {
          if (undone !== undefined) await undoChange(client, undone.id);
        }}
        onClose={() => setUndone(undefined)}
        onDone={() => {
          notify({ title: 'The change was undone', text: undone?.title });
          setUndone(undefined);
        }}
      />
    </section>
  );
}
