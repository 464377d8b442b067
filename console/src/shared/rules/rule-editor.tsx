/** Editor of a row rule, visually and as JSON. Both views are always in sync. */
import { Text } from '@mantine/core';
import { useState } from 'react';
import { parseExactly, printPretty } from '../../api/exact-json.ts';
import { isJsonObject, type JsonObject } from '../../api/json.ts';
import { Editor } from '../../ui/editor/editor.tsx';
import { GroupEditor } from './group-editor.tsx';
import { type Group, readRule, writeRule } from './rule.ts';
import classes from './rules.module.css';
import { useRuleTerms } from './use-rule-table.ts';
import { useProblem } from './validation-errors.tsx';

interface RuleEditorProps {
  /** What the rule applies to, such as `Rows`. */
  readonly label: string;
  /** The initial rule. Later changes come only from the editor. */
  readonly rule: JsonObject;
  readonly onChange: (rule: JsonObject) => void;
}

export function RuleEditor({ label, rule, onChange }: RuleEditorProps) {
  const { table, changed } = useRuleTerms();
  const [tree, setTree] = useState(() => readRule(rule));
  const [text, setText] = useState(() => printPretty(rule));
  const [wrong, setWrong] = useState<string>();
  useProblem(wrong !== undefined);
  const build = (changed: Group): void => {
    const json = writeRule(changed);
    setTree(changed);
    setText(printPretty(json));
    setWrong(undefined);
    onChange(json);
  };
  const write = (written: string): void => {
    setText(written);
    const read = parsed(written);
    setWrong(read.wrong);
    if (read.json === undefined) return;
    setTree(readRule(read.json));
    onChange(read.json);
  };
  return (
    <div className={classes.rule}>
      <div>
        <Text size="sm" fw="var(--mantine-font-weight-medium)" mb={4}>
          Conditions
        </Text>
        {wrong === undefined ? (
          <GroupEditor
            group={tree}
            table={changed === undefined ? table : undefined}
            below={false}
            label={label}
            onChange={build}
          />
        ) : (
          <Text size="sm" c="dimmed">
            They are shown again when the JSON can be read.
          </Text>
        )}
      </div>
      <div>
        <Editor label={`${label} as JSON`} text={text} onChange={write} height="auto" language="json" />
        {wrong !== undefined && (
          <Text size="sm" c="var(--mantine-color-error)" role="alert" mt={4}>
            {wrong}
          </Text>
        )}
      </div>
    </div>
  );
}

function parsed(text: string): { readonly json?: JsonObject; readonly wrong?: string } {
  try {
    const json = parseExactly(text);
    return isJsonObject(json) ? { json } : { wrong: 'Must be a JSON object, such as {"id": {"_eq": 1}}.' };
  } catch (error) {
    return { wrong: error instanceof Error ? error.message : String(error) };
  }
}
