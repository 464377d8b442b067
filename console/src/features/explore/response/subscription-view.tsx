/** Results of a subscription as they arrive: the latest, or a previous one. */
import { Button, NativeSelect, Text } from '@mantine/core';
import { useState } from 'react';
import { printPretty } from '../../../api/exact-json.ts';
import { FailureNotice } from '../../../ui/feedback/failure-notice.tsx';
import { StatusDot } from '../../../ui/feedback/status-dot.tsx';
import { counted } from '../../../ui/format.ts';
import type { Received, Run } from '../run/runs.ts';
import { BodyView } from './body-view.tsx';
import classes from './response.module.css';
import { millisecondsText, sizeText } from './texts.ts';

interface SubscriptionViewProps {
  readonly run: Run;
  readonly onStop: () => void;
  readonly onClear: () => void;
}

/** Value of the list for the result that arrived last. */
const LATEST = 'latest';

export function SubscriptionView({ run, onStop, onClear }: SubscriptionViewProps) {
  const { state, failure } = run;
  /** The results that are shown while the display is paused. */
  const [paused, setPaused] = useState<readonly Received[]>();
  const [chosen, setChosen] = useState<string>(LATEST);
  const results = paused ?? run.results;
  const [latest] = results;
  const shown = results.find(({ number }) => String(number) === chosen) ?? latest;
  const isRunning = state === 'running';
  const waiting = run.received - (latest?.number ?? 0);
  const controls = (
    <>
      <StatusDot tone={isRunning ? 'busy' : 'waiting'}>{stateText(isRunning, paused !== undefined)}</StatusDot>
      <span className={classes.figure} role="status">
        {run.received === 0
          ? 'No result yet'
          : `${counted(run.received, 'result')}${run.results[0] === undefined ? '' : `, the latest at ${clock(run.results[0])}`}${
              paused === undefined || waiting <= 0 ? '' : `, ${waiting} not shown`
            }`}
      </span>
      {results.length > 0 && (
        <NativeSelect
          size="xs"
          aria-label="Shown result"
          value={shown === undefined || chosen === LATEST ? LATEST : String(shown.number)}
          data={[
            { value: LATEST, label: 'Latest result' },
            ...results.map((one) => ({ value: String(one.number), label: `Result ${one.number}, at ${clock(one)}` })),
          ]}
          onChange={(event) => setChosen(event.currentTarget.value)}
        />
      )}
      {isRunning && (
        <Button
          size="compact-xs"
          variant="default"
          onClick={() => setPaused(paused === undefined ? run.results : undefined)}
        >
          {paused === undefined ? 'Pause' : 'Resume'}
        </Button>
      )}
      {run.results.length > 0 && (
        <Button
          size="compact-xs"
          variant="default"
          onClick={() => {
            setPaused((before) => before && []);
            setChosen(LATEST);
            onClear();
          }}
        >
          Clear
        </Button>
      )}
      {isRunning && (
        <Button size="compact-xs" variant="default" onClick={onStop}>
          Stop
        </Button>
      )}
    </>
  );
  return (
    <div className={classes.pane}>
      {failure !== undefined && (
        <div className={classes.padded}>
          <FailureNotice title="The subscription ended" failure={failure} />
        </div>
      )}
      {shown === undefined ? (
        <>
          <div className={classes.bar}>{controls}</div>
          <Text size="sm" c="dimmed" p="sm">
            {isRunning ? 'Results are shown as they arrive.' : 'No result is shown.'}
          </Text>
        </>
      ) : (
        <BodyView
          what={shown === latest ? 'response' : `result ${shown.number}`}
          body={shown.response}
          bar={
            <>
              {controls}
              <span className={classes.figure}>{figures(shown, results)}</span>
            </>
          }
        />
      )}
    </div>
  );
}

function stateText(isRunning: boolean, isPaused: boolean): string {
  if (!isRunning) return 'Ended';
  return isPaused ? 'Running, display paused' : 'Running';
}

/** The size as formatted JSON, and the time since the result before. */
function figures(shown: Received, results: readonly Received[]): string {
  const size = sizeText(new Blob([printPretty(shown.response)]).size);
  const before = results.find(({ number }) => number === shown.number - 1);
  return before === undefined ? size : `${size}, ${millisecondsText(shown.at - before.at)} after the result before`;
}

function clock({ at }: Received): string {
  return new Date(at).toLocaleTimeString('en-GB', { hour12: false });
}
