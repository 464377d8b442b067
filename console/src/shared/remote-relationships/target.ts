/** What the inputs of each kind of target have in common. */
import type { KeyOwner } from '../remote-fields/argument-values.ts';
import type { DefinitionDraft } from './definition-draft.ts';

export interface TargetProps {
  readonly draft: DefinitionDraft;
  readonly owner: KeyOwner;
  /** What is missing, by input. */
  readonly errors: Readonly<Record<string, string>>;
  /** Errors of the service by argument. */
  readonly problems: ReadonlyMap<string, string>;
  readonly onChange: (part: Partial<DefinitionDraft>) => void;
}
