/** The path of a request as boxes. Each box opens its tab, or the page of a table, a remote schema or an action. */
import { Tooltip, VisuallyHidden } from '@mantine/core';
import { useId } from 'react';
import { linkTo } from '../../../router/location.ts';
import { StatusDot } from '../../../ui/feedback/status-dot.tsx';
import { sentence } from '../../../ui/format.ts';
import { type ActionTab, actionPath } from '../action-paths.ts';
import type { Action, ActionsMetadata } from '../actions-api.ts';
import classes from './request-path.module.css';
import { type PathBox, pathText, requestPath } from './request-path.ts';
import { usePathState } from './use-path-state.ts';

interface RequestPathViewProps {
  readonly action: Action;
  readonly metadata: ActionsMetadata;
  /** The open tab. */
  readonly tab: ActionTab;
}

export function RequestPathView({ action, metadata, tab }: RequestPathViewProps) {
  const description = useId();
  const path = requestPath(action, metadata, usePathState(action));
  const more: PathBox = {
    key: 'relationships',
    kind: 'Relationships',
    title: path.joined.length === 0 ? 'Add a relationship' : 'Add or edit',
    to: actionPath(action.name, 'relationships'),
    tab: 'relationships',
    next: [],
  };
  return (
    <nav className={classes.path} aria-label="Path of a request" aria-describedby={description}>
      <VisuallyHidden id={description}>{pathText(action, path)}</VisuallyHidden>
      <ol className={classes.steps}>
        {path.steps.map((box) => (
          <li key={box.key} className={classes.step}>
            <Box box={box} tab={tab} />
          </li>
        ))}
        <li className={classes.step}>
          <ul className={classes.joined}>
            {path.joined.map((box) => (
              <li key={box.key} className={classes.join}>
                <Box box={box} tab={tab} />
                {box.next.length > 0 && (
                  <ul className={classes.next}>
                    {box.next.map((inner) => (
                      <li key={inner.key}>
                        <Box box={inner} tab={tab} />
                      </li>
                    ))}
                  </ul>
                )}
              </li>
            ))}
            <li>
              <Box box={more} tab={tab} />
            </li>
          </ul>
        </li>
      </ol>
    </nav>
  );
}

function Box({ box, tab }: { readonly box: PathBox; readonly tab: ActionTab }) {
  const { kind, title, detail, state } = box;
  const about = state?.about;
  return (
    <Tooltip
      label={about === undefined ? title : sentence(about)}
      events={{ hover: true, focus: true, touch: false }}
      openDelay={300}
      multiline
      maw={420}
    >
      <a className={classes.box} {...linkTo(box.to)} {...(box.tab === tab && { 'aria-current': 'page' as const })}>
        <span className={classes.kind}>{kind}</span>
        <span className={classes.title}>{title}</span>
        {detail !== undefined && <span className={classes.detail}>{detail}</span>}
        {state !== undefined && (
          <span className={classes.state}>
            <StatusDot tone={state.tone}>{state.word}</StatusDot>
          </span>
        )}
      </a>
    </Tooltip>
  );
}
