/** A NestJS application whose handlers receive events by `@golevelup/nestjs-hasura`, unmodified. */
import 'reflect-metadata';
import type { AddressInfo } from 'node:net';
import { HasuraModule } from '@golevelup/nestjs-hasura';
import { Injectable, Module, type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';

/** The value of the header `nest-secret`. */
export const handlerSecret = 'a secret of the handlers';

export interface NestApplication {
  /** The URL of all handlers. */
  readonly webhook: string;
  close(): Promise<void>;
}

/** Starts an application with one class of handlers, and decorates its methods as `@decorator` above them does. */
export async function startNestApplication<Handlers extends object>(
  handlers: Type<Handlers>,
  decorators: Readonly<Partial<Record<keyof Handlers & string, MethodDecorator>>>,
): Promise<NestApplication> {
  for (const [name, decorator] of Object.entries<MethodDecorator | undefined>(decorators)) {
    const descriptor = Object.getOwnPropertyDescriptor(handlers.prototype, name);
    if (descriptor !== undefined) decorator?.(handlers.prototype, name, descriptor);
  }
  Injectable()(handlers);
  class Application {}
  Module({
    imports: [
      HasuraModule.forRoot(HasuraModule, {
        webhookConfig: { secretHeader: 'nest-secret', secretFactory: () => handlerSecret },
      }),
    ],
    providers: [handlers],
  })(Application);
  const application = await NestFactory.create(Application, { logger: false });
  await application.listen(0, '127.0.0.1');
  const { port } = application.getHttpServer().address() as AddressInfo;
  return { webhook: `http://127.0.0.1:${port}/hasura/events`, close: () => application.close() };
}
