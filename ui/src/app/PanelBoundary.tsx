import { Component, type ReactNode } from 'react';
import { ErrorState } from '../design';
import { t } from '../strings';

/** Keeps an error in one panel from breaking the window. */
export class PanelBoundary extends Component<{ children: ReactNode }, { fault: Error | null }> {
  override state: { fault: Error | null } = { fault: null };

  static getDerivedStateFromError(fault: Error) {
    return { fault };
  }

  override render() {
    const { fault } = this.state;
    if (!fault) return this.props.children;
    return <ErrorState title={t.app.crashTitle} text={t.app.crashText} detail={fault.message} onRetry={() => this.setState({ fault: null })} />;
  }
}
