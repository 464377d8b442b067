/** The response of a run: status, time, size, errors, and the body. */
import { Button, Text } from '@mantine/core';
import { FailureNotice } from '../../../ui/feedback/failure-notice.tsx';
import { Loading } from '../../../ui/feedback/loading.tsx';
import { StatusDot, type StatusDotProps } from '../../../ui/feedback/status-dot.tsx';
import { errorsIn, type Run, type RunStatus, statusOf } from '../run/runs.ts';
import { BodyView } from './body-view.tsx';
import { HeadersView } from './headers-view.tsx';
import classes from './response.module.css';
import { SubscriptionView } from './subscription-view.tsx';
import { millisecondsText, sizeText } from './texts.ts';

interface ResponsePaneProps {
  readonly run: Run | undefined;
  readonly subscribes: boolean;
  readonly onStop: () => void;
  /** Forgets the results of a subscription. */
  readonly onClear: () => void;
}

export function ResponsePane({ run, subscribes, onStop, onClear }: ResponsePaneProps) {
  if (run === undefined) {
    return (
      <Text size="sm" c="dimmed" p="sm">
        {subscribes
          ? 'Run the subscription: its results are shown as they arrive, until it is stopped.'
          : 'Run the operation under the caret with the button or with Ctrl+Enter.'}
      </Text>
    );
  }
  if (run.kind === 'subscription')
    return <SubscriptionView key={run.number} run={run} onStop={onStop} onClear={onClear} />;
  if (run.state === 'running') return <Waiting onStop={onStop} />;
  if (run.failure !== undefined) {
    return (
      <div className={classes.padded}>
        <FailureNotice title="No response" failure={run.failure} />
      </div>
    );
  }
  return <Response key={run.number} run={run} />;
}

function Waiting({ onStop }: { readonly onStop: () => void }) {
  return (
    <div className={classes.pane}>
      <div className={classes.bar} role="status">
        <StatusDot tone="busy">Waiting for the response</StatusDot>
        <Button size="compact-xs" variant="default" onClick={onStop}>
          Cancel
        </Button>
      </div>
      <div className={classes.body}>
        <Loading />
      </div>
    </div>
  );
}

const tones: Readonly<Record<RunStatus, StatusDotProps['tone']>> = {
  ok: 'good',
  errors: 'bad',
  failed: 'bad',
  canceled: 'waiting',
};

function Response({ run }: { readonly run: Run }) {
  const { response } = run;
  if (response === undefined) {
    return (
      <Text size="sm" c="dimmed" p="sm">
        The request was canceled. The service can have executed it.
      </Text>
    );
  }
  return (
    <BodyView
      what="response"
      body={response.body}
      headers={<HeadersView sent={run.sent} received={response.headers} />}
      bar={
        <>
          <StatusDot tone={tones[statusOf(run)]}>
            {statusText(response.status, errorsIn(response.body).length)}
          </StatusDot>
          <span className={classes.figure}>{millisecondsText(response.durationMs)}</span>
          <span className={classes.figure}>{sizeText(response.bytes)}</span>
        </>
      }
    />
  );
}

function statusText(status: number, errors: number): string {
  if (errors === 0) return String(status);
  return `${status}, ${errors === 1 ? '1 error' : `${errors} errors`}`;
}
