/** An expandable part of a form. */
import { Collapse, UnstyledButton } from '@mantine/core';
import { type ReactNode, useId, useState } from 'react';
import classes from './disclosure.module.css';
import { ChevronIcon } from './icons.tsx';

interface DisclosureProps {
  readonly title: string;
  /** Shown next to the title while it is closed. */
  readonly hint?: string;
  readonly initiallyOpened?: boolean;
  /** Keeps the part open, because it has an error. */
  readonly hasError?: boolean;
  readonly children: ReactNode;
}

export function Disclosure({ title, hint, initiallyOpened = false, hasError = false, children }: DisclosureProps) {
  const region = useId();
  const [isChosen, setOpened] = useState(initiallyOpened);
  const opened = isChosen || hasError;
  return (
    <div>
      <UnstyledButton
        className={classes.toggle}
        aria-expanded={opened}
        aria-controls={region}
        onClick={() => setOpened(!opened)}
      >
        <span className={`${classes.chevron} ${opened ? classes.turned : ''}`}>
          <ChevronIcon size={16} />
        </span>
        {title}
        {hint !== undefined && !opened && <span className={classes.hint}>{hint}</span>}
      </UnstyledButton>
      <Collapse expanded={opened} id={region}>
        {opened && <div className={classes.inside}>{children}</div>}
      </Collapse>
    </div>
  );
}
