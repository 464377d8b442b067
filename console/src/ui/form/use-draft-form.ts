/** The state of a form: its draft, its changes and the errors of its fields. */
import { type FormErrors, type UseFormReturnType, useForm } from '@mantine/form';
import { useState } from 'react';
import { sameDraft } from './same-draft.ts';
import { submitWork } from './unsaved-work.ts';
import { useUnsavedWork } from './use-unsaved-work.ts';

export type { FormErrors };

interface DraftFormOptions<Draft> {
  /** The draft that the form opens with. Later values are ignored. */
  readonly initial: Draft;
  /** Returns the messages by field. Messages of other fields prevent submission too. */
  readonly validate?: (draft: Draft) => FormErrors;
  /** Validates a field with each change. Otherwise a change clears its error until the next submission. */
  readonly immediate?: boolean;
  /** The input is no work that can be lost, such as a filter or a search. Nothing confirms that it is discarded. */
  readonly isTransient?: boolean;
}

export interface DraftForm<Draft> extends UseFormReturnType<Draft> {
  /**
   * Replaces fields. Does not copy their values, unlike `setFieldValue`: JSON with exact numbers cannot be copied, see
   * `parseExactly`. `fields` are those whose errors are cleared; by default the replaced ones.
   */
  readonly change: (part: Partial<Draft>, fields?: readonly string[]) => void;
  /** Replaces the draft by a saved one. */
  readonly open: (saved: Draft) => void;
  /**
   * Whether the draft differs from the saved one: the initial draft, or the one that was submitted when a command of
   * the submit handler succeeded.
   */
  readonly isUnsaved: boolean;
  /** Why the draft cannot be submitted: the first invalid field with its message. Undefined for a valid draft. */
  readonly invalid: string | undefined;
}

export function useDraftForm<Draft extends object>(options: DraftFormOptions<Draft>): DraftForm<Draft> {
  const { initial, validate, immediate = false, isTransient = false } = options;
  const form = useForm<Draft>({
    initialValues: initial,
    validateInputOnChange: immediate,
    ...(validate !== undefined && { validate }),
  });
  const change = (part: Partial<Draft>, fields: readonly string[] = Object.keys(part)): void => {
    const found = immediate ? (validate?.({ ...form.getValues(), ...part }) ?? {}) : {};
    const errors = { ...withoutFields(form.errors, fields), ...onlyFields(found, fields) };
    form.setValues(part);
    // `setValues` clears the errors of all fields.
    form.setErrors(errors);
  };
  const [saved, setSaved] = useState(form.values);
  const isUnsaved = !isTransient && !sameDraft(form.values, saved);
  const forget = useUnsavedWork(isUnsaved);
  const onSaved = (draft: Draft): void => {
    setSaved(draft);
    forget();
  };
  return {
    ...form,
    change,
    isUnsaved,
    invalid: firstError(validate?.(form.values) ?? {}),
    open: (draft) => {
      form.setValues(draft);
      setSaved(draft);
    },
    reset: () => {
      form.reset();
      setSaved(initial);
    },
    onSubmit: (handle, onInvalid) => {
      const submit: typeof handle = (values, event) =>
        submitWork(
          () => onSaved(values),
          () => handle(values, event),
        );
      return form.onSubmit(submit, onInvalid);
    },
  };
}

function belongsTo(path: string, fields: readonly string[]): boolean {
  return fields.some((field) => path === field || path.startsWith(`${field}.`));
}

function withoutFields(errors: FormErrors, fields: readonly string[]): FormErrors {
  return Object.fromEntries(Object.entries(errors).filter(([path]) => !belongsTo(path, fields)));
}

function onlyFields(errors: FormErrors, fields: readonly string[]): FormErrors {
  return Object.fromEntries(Object.entries(errors).filter(([path]) => belongsTo(path, fields)));
}

/** The error of a required text. Undefined when there is text. */
export function requiredText(text: string): string | undefined {
  return text.trim() === '' ? 'Must not be empty.' : undefined;
}

/** Returns `Timeout: must be a number`. Messages without text are in the form. */
function firstError(errors: FormErrors): string | undefined {
  const [first] = Object.entries(errors).filter(
    ([, message]) => message !== undefined && message !== null && message !== false,
  );
  if (first === undefined) return undefined;
  const [path, message] = first;
  const field = path
    .replace(/[.\d]+/g, ' ')
    .replace(/_/g, ' ')
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .trim()
    .toLowerCase();
  const shown = typeof message === 'string' ? message : 'Correct the marked input.';
  return field === '' ? shown : `${field[0]?.toUpperCase()}${field.slice(1)}: ${shown}`;
}
