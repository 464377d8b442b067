/** Contains a rendering error within one page. */
import { Alert, Button, Code, Stack, Text } from '@mantine/core';
import { Component, type ReactNode } from 'react';

interface ErrorBoundaryProps {
  readonly children: ReactNode;
}

interface ErrorBoundaryState {
  readonly error: Error | undefined;
}

export class ErrorBoundary extends Component<ErrorBoundaryProps, ErrorBoundaryState> {
  override state: ErrorBoundaryState = { error: undefined };

  static getDerivedStateFromError(error: unknown): ErrorBoundaryState {
    return { error: error instanceof Error ? error : new Error(String(error)) };
  }

  override render(): ReactNode {
    const { error } = this.state;
    if (error === undefined) return this.props.children;
    return (
      <Alert role="alert" color="red" variant="outline" title="This page could not be shown">
        <Stack align="flex-start" gap="xs">
          <Text size="sm">
            The service may have been updated after the console was loaded. Reload the page to use its version.
          </Text>
          <Code>{error.message}</Code>
          <Button size="xs" variant="default" onClick={() => window.location.reload()}>
            Reload the page
          </Button>
        </Stack>
      </Alert>
    );
  }
}
