/** A single-line input without autocomplete and spelling correction. */
import { TextInput, type TextInputProps } from '@mantine/core';

interface TextFieldProps extends Omit<TextInputProps, 'onChange' | 'value'> {
  readonly value?: string;
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
