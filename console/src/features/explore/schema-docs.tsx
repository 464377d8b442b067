/** Browser for the types and fields of a role's schema, with search. */
import { Anchor, Button, Stack, Text, TextInput, Title } from '@mantine/core';
import {
  type GraphQLArgument,
  type GraphQLInputField,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isIntrospectionType,
  isObjectType,
  isUnionType,
} from 'graphql';
import { useState } from 'react';
import { DetailDrawer } from '../../ui/dialog/detail-drawer.tsx';
import classes from './explore.module.css';

interface SchemaDocsProps {
  readonly schema: GraphQLSchema;
  readonly opened: boolean;
  readonly onClose: () => void;
}

/** Maximum number of search results. */
const SHOWN = 100;

export function SchemaDocs({ schema, opened, onClose }: SchemaDocsProps) {
  const [name, setName] = useState<string>();
  const [sought, setSought] = useState('');
  const type = name === undefined ? undefined : schema.getType(name);
  return (
    <DetailDrawer subject={opened} title="Schema" size="form" onClose={onClose}>
      {() => (
        <Stack gap="sm">
          <TextInput
            label="Search types"
            autoComplete="off"
            value={sought}
            onChange={(event) => {
              setSought(event.currentTarget.value);
              setName(undefined);
            }}
          />
          {type !== undefined && (
            <Button variant="default" size="xs" w="fit-content" onClick={() => setName(undefined)}>
              All types
            </Button>
          )}
          {type === undefined ? (
            <TypeList schema={schema} sought={sought} onChoose={setName} />
          ) : (
            <TypeDocs type={type} onChoose={setName} />
          )}
        </Stack>
      )}
    </DetailDrawer>
  );
}

type Choose = (name: string) => void;

function TypeList({ schema, sought, onChoose }: { schema: GraphQLSchema; sought: string; onChoose: Choose }) {
  const roots = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()];
  const all = Object.values(schema.getTypeMap()).filter((one) => !isIntrospectionType(one));
  const found =
    sought.trim() === ''
      ? roots.filter((one) => one !== undefined && one !== null)
      : all.filter(({ name }) => name.toLowerCase().includes(sought.trim().toLowerCase()));
  return (
    <Stack gap={4}>
      {found.slice(0, SHOWN).map((one) => (
        <TypeLink key={one.name} type={one} text={one.name} onChoose={onChoose} />
      ))}
      {found.length === 0 && <Text size="sm">No type has that in its name.</Text>}
      <Text size="sm" c="dimmed">
        {found.length > SHOWN ? `And ${found.length - SHOWN} more.` : `The schema has ${all.length} types.`}
      </Text>
    </Stack>
  );
}

function TypeDocs({ type, onChoose }: { readonly type: GraphQLNamedType; readonly onChoose: Choose }) {
  return (
    <div>
      <Title order={3} size="h4" style={{ overflowWrap: 'anywhere' }}>
        {type.name}
      </Title>
      <About text={type.description} />
      {(isObjectType(type) || isInterfaceType(type)) &&
        Object.values(type.getFields()).map((field) => (
          <div key={field.name} className={classes.field}>
            <Text span className={classes.code ?? ''} fw={600}>
              {field.name}
            </Text>
            : <TypeLink type={getNamedType(field.type)} text={String(field.type)} onChoose={onChoose} />
            <About text={field.deprecationReason ? `Deprecated: ${field.deprecationReason}` : field.description} />
            {field.args.map((one) => (
              <Input key={one.name} input={one} onChoose={onChoose} />
            ))}
          </div>
        ))}
      {isInputObjectType(type) &&
        Object.values(type.getFields()).map((one) => <Input key={one.name} input={one} onChoose={onChoose} />)}
      {isEnumType(type) &&
        type.getValues().map((one) => (
          <div key={one.name} className={classes.field}>
            <Text span className={classes.code ?? ''}>
              {one.name}
            </Text>
            <About text={one.description} />
          </div>
        ))}
      {isUnionType(type) &&
        type.getTypes().map((one) => (
          <div key={one.name} className={classes.field}>
            <TypeLink type={one} text={one.name} onChoose={onChoose} />
          </div>
        ))}
    </div>
  );
}

function Input({
  input,
  onChoose,
}: {
  readonly input: GraphQLArgument | GraphQLInputField;
  readonly onChoose: Choose;
}) {
  return (
    <Text component="div" size="sm" pl="md" style={{ overflowWrap: 'anywhere' }}>
      <span className={classes.code}>{input.name}</span>:{' '}
      <TypeLink type={getNamedType(input.type)} text={String(input.type)} onChoose={onChoose} />
      <About text={input.description} />
    </Text>
  );
}

function About({ text }: { readonly text: string | null | undefined }) {
  if (text === null || text === undefined || text === '') return null;
  return (
    <Text size="sm" c="dimmed">
      {text}
    </Text>
  );
}

interface TypeLinkProps {
  readonly type: GraphQLNamedType;
  /** Type with list and non-null marks. */
  readonly text: string;
  readonly onChoose: Choose;
}

function TypeLink({ type, text, onChoose }: TypeLinkProps) {
  return (
    <Anchor component="button" type="button" className={classes.code ?? ''} onClick={() => onChoose(type.name)}>
      {text}
    </Anchor>
  );
}
