/** Edits a cell in place with the control of its type. */
import type { TableInfo } from '@joinery/metadata/api/sources/catalog';
import { choicesOf, familyOf } from '../row-model/column-family.ts';
import type { Target } from '../row-model/rows-api.ts';
import { ChoiceEditor } from './choice-editor.tsx';
import type { EditorProps } from './editor-props.ts';
import { JsonEditor } from './json-editor.tsx';
import { ReferenceEditor } from './reference-editor.tsx';
import { TextEditor } from './text-editor.tsx';

interface CellEditorProps extends EditorProps {
  readonly target: Target;
  readonly info: TableInfo;
}

export function CellEditor({ target, info, ...props }: CellEditorProps) {
  const { column } = props;
  const reference = info.foreign_keys.find(({ columns }) => Object.hasOwn(columns, column.name));
  if (reference !== undefined) return <ReferenceEditor {...props} source={target.source} reference={reference} />;
  const choices = choicesOf(column);
  if (choices !== undefined) {
    return <ChoiceEditor {...props} options={choices.map((choice) => optionOf(column.name, choice))} />;
  }
  return familyOf(column) === 'json' ? <JsonEditor {...props} /> : <TextEditor {...props} />;
}

function optionOf(column: string, text: string) {
  return { key: text, label: text, drafts: { [column]: { mode: 'value', text } } } as const;
}
