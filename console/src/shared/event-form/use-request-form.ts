/** State of the forms of events and cron triggers: the draft, errors by field, and the fields under "Advanced". */
import { type ReactNode, useState } from 'react';
import type { Failure } from '../../api/failure.ts';
import { type FormErrors, useDraftForm } from '../../ui/form/use-draft-form.ts';
import { sentence } from '../../ui/format.ts';
import { isAdvanced } from './event-draft.ts';

type Read<Field extends string> = { readonly args: string } | { readonly problems: ReadonlyMap<Field, string> };

interface RequestFormOptions<Draft, Field extends string> {
  readonly initial: Draft;
  /** Returns the arguments of the command as JSON text, or the errors. */
  readonly read: (draft: Draft) => Read<Field>;
  /** Returns the field of a path in an error of the service. */
  readonly fieldAt: (path: string, draft: Draft) => Field | undefined;
  readonly initiallyAdvanced: boolean;
}

export function useRequestForm<Draft extends object, Field extends string>(options: RequestFormOptions<Draft, Field>) {
  const { initial, read, fieldAt, initiallyAdvanced } = options;
  const form = useDraftForm({ initial, validate: (draft) => errorsOf(read(draft)) });
  const [advanced, setAdvanced] = useState(initiallyAdvanced);
  const [failure, setFailure] = useState<Failure>();
  /** Number of rejected submissions. */
  const [rejections, setRejections] = useState(0);
  const show = (errors: FormErrors): void => {
    setRejections((count) => count + 1);
    if (isAdvanced(Object.keys(errors))) setAdvanced(true);
  };
  return {
    draft: form.values,
    advanced,
    rejections,
    /** An error of the service that belongs to no field. */
    failure,
    toggleAdvanced: () => setAdvanced(!advanced),
    /** Clears the error of the field until the next submission. */
    change: (part: Partial<Draft>, field: Field | undefined): void =>
      form.change(part, field === undefined ? [] : [field]),
    errorOf: (field: Field): ReactNode => form.errors[field],
    submit: (run: (args: string) => void) =>
      form.onSubmit((draft) => {
        setFailure(undefined);
        const written = read(draft);
        if ('args' in written) run(written.args);
      }, show),
    /** Shows an error of the service at its field. */
    reject: (rejected: Failure): void => {
      const field = fieldAt(rejected.path, form.getValues());
      if (field === undefined) {
        setFailure(rejected);
        return;
      }
      const errors = { [field]: sentence(rejected.message) };
      form.setErrors(errors);
      show(errors);
    },
  };
}

function errorsOf(read: Read<string>): FormErrors {
  if (!('problems' in read)) return {};
  return Object.fromEntries([...read.problems].map(([field, problem]) => [field, sentence(problem)]));
}
