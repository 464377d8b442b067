/** The inputs of a transform beside its JSON. */
import { type ReactNode, useState } from 'react';
import { jsonProblem, printPretty } from '../../api/exact-json.ts';
import { FormBesideJson } from '../../ui/form/beside-text/form-beside-json.tsx';
import { sameJson } from '../../ui/form/same-draft.ts';
import type { RequestDraft } from './transform-draft.ts';

interface TransformBesideJsonProps {
  readonly label: string;
  /** The transform that the draft writes. */
  readonly saved: unknown;
  readonly unread: RequestDraft['unread'];
  readonly onText: (text: string) => void;
  /** The inputs. */
  readonly children: ReactNode;
}

export function TransformBesideJson({ label, saved, unread, onText, children }: TransformBesideJsonProps) {
  const [typed, setTyped] = useState('');
  // The typed text stays while it is the same value in another format.
  const isTyped = jsonProblem(typed) === undefined && sameJson(JSON.parse(typed), saved);
  const text = unread?.text ?? (isTyped ? typed : printPretty(saved));
  const write = (changed: string): void => {
    setTyped(changed);
    onText(changed);
  };
  return (
    <FormBesideJson label={label} text={text} reason={unread?.reason} onText={write}>
      {children}
    </FormBesideJson>
  );
}
