/** The fields, values and types of one type. */
import { Anchor, Text } from '@mantine/core';
import {
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLNamedType,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
  isUnionType,
} from 'graphql';
import { VirtualList } from '../virtual-list.tsx';
import classes from './docs.module.css';
import type { DocPlace } from './search-index.ts';

interface TypeDocsProps {
  readonly type: GraphQLNamedType;
  /** The field or value that is scrolled to. */
  readonly member: string | undefined;
  readonly onOpen: (place: DocPlace) => void;
}

interface Member {
  readonly name: string;
  /** The type it links to. */
  readonly type: GraphQLNamedType | undefined;
  /** With list and non-null marks. */
  readonly typeText: string;
  readonly about: string | null | undefined;
  readonly args: readonly GraphQLArgument[];
}

export function TypeDocs({ type, member, onOpen }: TypeDocsProps) {
  const members = membersOf(type);
  const start = members.findIndex(({ name }) => name === member);
  return (
    <>
      <div className={classes.head}>
        <h3 className={classes.name}>{type.name}</h3>
        <Text size="xs" c="dimmed">
          {kindOf(type)}
        </Text>
        <About text={type.description} />
      </div>
      <VirtualList
        label={`Members of ${type.name}`}
        items={members}
        keyOf={({ name }) => name}
        height={48}
        {...(start >= 0 && { start })}
        render={(one) => <MemberDocs member={one} isShown={one.name === member} onOpen={onOpen} />}
      />
    </>
  );
}

function membersOf(type: GraphQLNamedType): readonly Member[] {
  if (isObjectType(type) || isInterfaceType(type)) return Object.values(type.getFields()).map(memberOfField);
  if (isInputObjectType(type)) {
    return Object.values(type.getFields()).map((field) => ({
      ...linked(field.name, field.type),
      about: field.description,
      args: [],
    }));
  }
  if (isEnumType(type)) {
    return type
      .getValues()
      .map(({ name, description }) => ({ name, type: undefined, typeText: '', about: description, args: [] }));
  }
  return isUnionType(type)
    ? type.getTypes().map((one) => ({ ...linked('', one), about: one.description, args: [] }))
    : [];
}

function memberOfField({ name, type, args, description, deprecationReason }: GraphQLField<unknown, unknown>): Member {
  return { ...linked(name, type), about: deprecationReason ? `Deprecated: ${deprecationReason}` : description, args };
}

function linked(name: string, type: Parameters<typeof getNamedType>[0]): Pick<Member, 'name' | 'type' | 'typeText'> {
  return { name: name === '' ? String(type) : name, type: getNamedType(type) ?? undefined, typeText: String(type) };
}

function kindOf(type: GraphQLNamedType): string {
  if (isInputObjectType(type)) return 'input object';
  if (isEnumType(type)) return 'enum';
  if (isUnionType(type)) return 'union';
  if (isInterfaceType(type)) return 'interface';
  return isObjectType(type) ? 'object' : 'scalar';
}

interface MemberDocsProps {
  readonly member: Member;
  readonly isShown: boolean;
  readonly onOpen: (place: DocPlace) => void;
}

function MemberDocs({ member: { name, type, typeText, about, args }, isShown, onOpen }: MemberDocsProps) {
  return (
    <div className={classes.field} data-shown={isShown}>
      <span className={classes.strong}>{name}</span>
      {type !== undefined && (
        <>
          : <TypeLink type={type} text={typeText} onOpen={onOpen} />
        </>
      )}
      <About text={about} />
      {args.map((one) => (
        <div key={one.name} className={classes.argument}>
          <span className={classes.code}>{one.name}</span>:{' '}
          <TypeLink type={getNamedType(one.type)} text={String(one.type)} onOpen={onOpen} />
          <About text={one.description} />
        </div>
      ))}
    </div>
  );
}

function About({ text }: { readonly text: string | null | undefined }) {
  if (text === null || text === undefined || text === '') return null;
  return (
    <Text size="xs" c="dimmed">
      {text}
    </Text>
  );
}

interface TypeLinkProps {
  readonly type: GraphQLNamedType;
  readonly text: string;
  readonly onOpen: (place: DocPlace) => void;
}

function TypeLink({ type, text, onOpen }: TypeLinkProps) {
  return (
    <Anchor component="button" type="button" className={classes.code ?? ''} onClick={() => onOpen({ type: type.name })}>
      {text}
    </Anchor>
  );
}
