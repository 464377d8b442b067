/** One line of text that is no prose: nothing is filled in or corrected by the browser. */
import { TextInput, type TextInputProps } from '@mantine/core';

interface TextFieldProps extends Omit<TextInputProps, 'onChange' | 'value'> {
  readonly value: string;
  readonly onChange: (text: string) => void;
}

export function TextField({ onChange, ...props }: TextFieldProps) {
  return (
    <TextInput
      autoComplete="off"
      spellCheck={false}
      {...props}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}
