/** Editor of a row rule, visually and as JSON. Both views are always in sync. */
import { Text } from '@mantine/core';
import { useState } from 'react';
import { parseExactly, printPretty } from '../../api/exact-json.ts';
import { isJsonObject, type JsonObject } from '../../api/json.ts';
import { FormBesideJson } from '../../ui/form/beside-text/form-beside-json.tsx';
import { GroupEditor } from './group-editor.tsx';
import { type Group, readRule, writeRule } from './rule.ts';
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
    <FormBesideJson label={`${label} as JSON`} text={text} reason={wrong} error={wrong} onText={write}>
      <div>
        <Text size="sm" fw="var(--mantine-font-weight-medium)" mb={4}>
          Conditions
        </Text>
        <GroupEditor
          group={tree}
          table={changed === undefined ? table : undefined}
          below={false}
          label={label}
          onChange={build}
        />
      </div>
    </FormBesideJson>
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
