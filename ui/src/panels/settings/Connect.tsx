/**
 * Settings → General: the programs that Keepsake can be connected to. What would change in a program's configuration is shown before
 * it is changed, and a test shows that what was entered answers.
 */
import { PlugZap } from 'lucide-react';
import { type ReactNode, useEffect, useState } from 'react';
import { useQueryClient } from '@tanstack/react-query';
import { type ConnectProgram, call, rpcKey, useRpc } from '../../api';
import { Badge, Button } from '../../design';
import { errorMessage, showToast } from '../../state';
import { t } from '../../strings';
import { TESTIDS } from '../../testids';
import { ConnectDialog } from './ConnectDialog';
import { Row, Section } from './Rows';

interface Asked {
  readonly program: ConnectProgram;
  readonly remove: boolean;
}

export function Connect() {
  const client = useQueryClient();
  const { data, error } = useRpc('connect_list', {});
  const [isAll, setAll] = useState(false);
  const [asked, setAsked] = useState<Asked | null>(null);
  const words = t.connect;
  // The files are the programs' own and change without notice, so they are looked at anew each time.
  useEffect(() => () => client.removeQueries({ queryKey: rpcKey('connect_list', {}) }), [client]);
  const programs = data?.programs ?? [];
  const shown = programs.filter((program) => isAll || program.is_found || isOurs(program));
  const changed = ({ program, remove }: Asked, notes: readonly string[]) => {
    setAsked(null);
    showToast({ replaces: 'connect', text: [remove ? words.disconnected(program.title) : words.connected(program.title), ...notes].join(' ') });
    void client.invalidateQueries({ queryKey: rpcKey('connect_list', {}) });
  };
  return (
    <Section title={words.title}>
      <Row name={words.name} hint={words.hint} problem={error && !data ? `${words.failed} ${errorMessage(error)}` : undefined}>
        {programs.length > shown.length || isAll ? (
          <Button size="s" tone="quiet" testId={TESTIDS.connectAll} onClick={() => setAll(!isAll)}>
            {isAll ? words.fewer : t.app.showAll}
          </Button>
        ) : null}
      </Row>
      {data && shown.length === 0 ? <Row name={words.none} hint={words.noneHint} /> : null}
      {shown.map((program) => (
        <Program key={program.name} program={program}>
          {program.standing === 'different' ? (
            <Button size="s" label={words.updateOf(program.title)} testId={TESTIDS.connectUpdate} onClick={() => setAsked({ program, remove: false })}>
              {words.update}
            </Button>
          ) : null}
          <Button size="s" label={isOurs(program) ? words.disconnectOf(program.title) : words.connectOf(program.title)} testId={TESTIDS.connectAsk} onClick={() => setAsked({ program, remove: isOurs(program) })}>
            {isOurs(program) ? words.disconnect : words.connect}
          </Button>
        </Program>
      ))}
      {asked ? <ConnectDialog program={asked.program} remove={asked.remove} onClose={() => setAsked(null)} onDone={(notes) => changed(asked, notes)} /> : null}
    </Section>
  );
}

/** Whether it starts Keepsake, in whatever way. */
const isOurs = ({ standing }: ConnectProgram): boolean => standing === 'current' || standing === 'different';

type Test = { readonly kind: 'idle' } | { readonly kind: 'asking' } | { readonly kind: 'answered'; readonly text: string } | { readonly kind: 'failed'; readonly text: string };

/** One program, with a test of what was entered for it. */
function Program({ program, children }: { program: ConnectProgram; children: ReactNode }) {
  const [test, setTest] = useState<Test>({ kind: 'idle' });
  const words = t.connect;
  const isCurrent = program.standing === 'current';
  const hint = isCurrent && test.kind === 'answered' ? test.text : program.standing === 'different' ? words.differentHint : program.is_found ? undefined : words.notFound;
  const run = async () => {
    setTest({ kind: 'asking' });
    try {
      const { tools, elapsed_ms } = await call('connect_check', { name: program.name });
      setTest({ kind: 'answered', text: words.answered(elapsed_ms, tools) });
    } catch (thrown) {
      setTest({ kind: 'failed', text: errorMessage(thrown) });
    }
  };
  return (
    <div data-testid={TESTIDS.connectProgram} data-program={program.name}>
      <Row name={program.title} hint={hint} problem={test.kind === 'failed' ? test.text : (program.problem ?? undefined)}>
        {program.standing === 'different' ? <Badge tone="warn">{words.isDifferent}</Badge> : null}
        {isCurrent ? (
          <>
            <Badge tone="ok">{words.isConnected}</Badge>
            <Button size="s" icon={<PlugZap size={13} aria-hidden="true" />} label={words.testOf(program.title)} disabled={test.kind === 'asking'} testId={TESTIDS.connectTest} onClick={() => void run()}>
              {test.kind === 'asking' ? words.testing : words.test}
            </Button>
          </>
        ) : null}
        {children}
        <span className="srOnly" role="status">
          {isCurrent && test.kind === 'answered' ? test.text : ''}
        </span>
      </Row>
    </div>
  );
}
