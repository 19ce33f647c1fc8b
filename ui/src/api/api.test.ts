import { describe, expect, test, vi } from 'vitest';
import type { MemoryRow } from './schema';
import { type Entry, append, log, pendingDelta, withDecisions } from './optimistic';
import { COALESCE_MS, QUIET_MAX_MS, QUIET_MS, STATUS_QUIET_MAX_MS, STATUS_QUIET_MS, createInvalidator, staleCommands } from './tags';

const row = (id: string, status = 'pending', category = 'goal') => ({ id, status, category, content: id }) as MemoryRow;
const entry = (change: Partial<Entry>): Entry => ({ ids: new Set(['b']), rows: [row('b')], patch: (each) => ({ ...each, status: 'active' }), pendingDelta: -1, settled: null, undone: false, undoSettled: null, ...change });

describe('decisions applied to an answer', () => {
  const rows = [row('a'), row('b'), row('c')];
  const shown = (request: { status?: string[]; category?: string[] }, stamp: number, ...log: Entry[]) => withDecisions(rows, stamp, request, log).map((each) => `${each.id} ${each.status}`);

  test.each([
    ['a row leaves the list it no longer belongs to', { status: ['pending'] }, 0, [entry({})], ['a pending', 'c pending']],
    ['a row stays, changed, in a list of everything', {}, 0, [entry({})], ['a pending', 'b active', 'c pending']],
    ['a merged row leaves every list', {}, 0, [entry({ patch: () => null })], ['a pending', 'c pending']],
    ['an answer that contains it is left alone', { status: ['pending'] }, 5, [entry({ settled: 5 })], ['a pending', 'b pending', 'c pending']],
    ['an answer from before it is not', { status: ['pending'] }, 4, [entry({ settled: 5 })], ['a pending', 'c pending']],
    ['an undone decision changes nothing', { status: ['pending'] }, 0, [entry({ undone: true })], ['a pending', 'b pending', 'c pending']],
    ['an undone decision brings its row back into an answer that lost it', { status: ['pending'] }, 5, [entry({ settled: 5, undone: true, ids: new Set(['z']), rows: [row('z')] })], ['z pending', 'a pending', 'b pending', 'c pending']],
    ['and into one that was asked for before it had settled and lost it all the same', { status: ['pending'] }, 4, [entry({ settled: 5, undone: true, ids: new Set(['z']), rows: [row('z')] })], ['z pending', 'a pending', 'b pending', 'c pending']],
    ['but not where it does not belong', { status: ['active'] }, 5, [entry({ settled: 5, undone: true, rows: [row('z')] })], ['a pending', 'b pending', 'c pending']],
    ['and not twice', { status: ['pending'] }, 6, [entry({ settled: 5, undone: true, undoSettled: 6 })], ['a pending', 'b pending', 'c pending']],
    ['a row decided anew after an undo stays away', { status: ['pending'] }, 5, [entry({ settled: 5, undone: true, ids: new Set(['z']), rows: [row('z')] }), entry({ ids: new Set(['z']), rows: [row('z')] })], ['a pending', 'b pending', 'c pending']],
    ['two decisions on one row come in order', {}, 0, [entry({}), entry({ patch: (each) => ({ ...each, status: 'archived' }) })], ['a pending', 'b archived', 'c pending']],
    ['a category filter lets a refiled row go', { category: ['goal'] }, 0, [entry({ patch: (each) => ({ ...each, category: 'skill' }) })], ['a pending', 'c pending']],
  ])('%s', (_, request, stamp, log, expected) => expect(shown(request, stamp, ...log)).toEqual(expected));

  test('rows that nothing concerns keep their identity', () => {
    const after = withDecisions(rows, 0, {}, [entry({})]);
    expect(after[0], 'a row that is the same object is not drawn again').toBe(rows[0]);
    expect(withDecisions(rows, 0, {}, []), 'without decisions nothing is copied').toBe(rows);
  });

  test('that a decision has arrived makes no other list', () => {
    const request = { status: ['pending'] };
    const sent = entry({});
    const before = withDecisions(rows, 0, request, [sent]);
    const arrived = { ...sent, settled: 3 };
    expect(withDecisions(rows, 0, request, [arrived]), 'ten thousand rows are not laid out again').toBe(before);
    expect(withDecisions(rows, 0, request, [arrived, entry({ ids: new Set(['c']) })]), 'but another decision does').not.toBe(before);
  });

  test('what a held key decides is all kept until the list is asked again', () => {
    const held = QUIET_MAX_MS / 1_000 * 30;
    log.set([]);
    const decided = Array.from({ length: held }, (_, index) => append(entry({ ids: new Set([`row-${index}`]), settled: index + 1 })));
    expect(log.get().includes(decided[0] as Entry), 'a row whose decision is forgotten would come back to be decided').toBe(true);
    log.set([]);
  });

  test.each<[string, { status?: string[] }, Entry[], string[]]>([
    ['another row leaves', { status: ['pending'] }, [entry({}), entry({ ids: new Set(['c']) })], ['a pending']],
    ['a row changes twice', {}, [entry({}), entry({ patch: (each) => ({ ...each, category: 'skill' }) })], ['a pending', 'b active', 'c pending']],
    ['a row that left comes back', { status: ['pending'] }, [entry({}), entry({ patch: (each) => ({ ...each, status: 'pending' }) })], ['a pending', 'b pending', 'c pending']],
    ['one decision concerns many rows', { status: ['pending'] }, [entry({}), entry({ ids: new Set('acdefghijkl') })], []],
    ['a decision concerns a row of another list', { status: ['pending'] }, [entry({ ids: new Set(['q']) }), entry({ ids: new Set(['c']) })], ['a pending', 'b pending']],
  ])('decisions that come one by one show the same as all at once: %s', (_, request, log, expected) => {
    const said = (answer: readonly MemoryRow[]) => answer.map((each) => `${each.id} ${each.status}`);
    for (let count = 0; count <= log.length; count += 1) {
      const step = log.slice(0, count);
      expect(said(withDecisions(rows, 0, request, step)), `after ${count}`).toEqual(said(withDecisions([...rows], 0, request, step)));
    }
    expect(said(withDecisions(rows, 0, request, log))).toEqual(expected);
    const taken = log.map((each, index) => (index === 0 ? { ...each, undone: true } : each));
    expect(said(withDecisions(rows, 0, request, taken)), 'the first is taken back').toEqual(said(withDecisions([...rows], 0, request, taken)));
  });
});

test('a row that comes back stands beside its neighbours', () => {
  const said = (id: string, conversation_id: string, said_at: number) => ({ ...row(id), conversation_id, said_at });
  const rows = [said('a', 'one', 1), said('c', 'one', 3), said('d', 'two', 4)];
  const back = entry({ settled: 1, undone: true, ids: new Set(['b']), rows: [said('b', 'one', 2)] });
  expect(withDecisions(rows, 1, {}, [back]).map((each) => each.id)).toEqual(['a', 'b', 'c', 'd']);
});

describe('the count of waiting candidates', () => {
  test.each([
    ['under way', { settled: null }, 0, -1],
    ['settled, answer older', { settled: 3 }, 2, -1],
    ['settled, answer newer', { settled: 3 }, 3, 0],
    ['undone before the answer saw it', { settled: 3, undone: true }, 2, 0],
    ['undone after the answer saw it', { settled: 3, undone: true }, 4, 1],
    ['undone and asked again', { settled: 3, undone: true, undoSettled: 6 }, 6, 0],
  ])('%s', (_, change, stamp, expected) => expect(pendingDelta([entry(change)], stamp)).toBe(expected));
});

describe('change tags', () => {
  test.each([
    [['settings'], ['agent_server_get', 'agents_overview', 'app_status', 'backups_list', 'gaps_list', 'jobs_list', 'maintenance_get', 'models_get', 'playbook_settings_get', 'reflection_settings_get', 'router_settings_get', 'settings_get', 'topic_rules_get', 'watched_list', 'watched_offers']],
    [['gate_log'], ['conversation_privacy_preview', 'gate_log_list']],
    [['embeddings'], ['app_status', 'search']],
    [['model_calls'], ['model_calls_list', 'models_get']],
    [['sources'], ['live_channels_list', 'live_source_remove_preview', 'live_sources_list']],
    [['nonsense'], []],
  ])('%j makes %j stale', (tags, expected) => expect(staleCommands(tags).sort()).toEqual(expected));

  test.each(['memories', 'people'])('what is taken back (%s) leaves every answer that told of it', (tag) => {
    const telling = ['topics_list', 'topic_get', 'topic_text', 'conversation_standing', 'search', 'person_get', 'context_preview', 'tiers_preview'];
    const stale: readonly string[] = staleCommands([tag]);
    expect(telling.filter((command) => !stale.includes(command))).toEqual([]);
  });

  test('a lost connection makes everything stale', () => expect(staleCommands(['*']).length).toBeGreaterThan(12));

  function setUp() {
    let now = 0;
    let timers: { at: number; run: () => void; id: number }[] = [];
    let id = 0;
    const asked: string[][] = [];
    const commands = ['memories_list', 'app_status', 'jobs_list', 'settings_get'];
    const client = {
      invalidateQueries: vi.fn(async (filters?: { predicate?: (query: never) => boolean }) => {
        asked.push(commands.filter((command) => filters?.predicate?.({ queryKey: [command, {}] } as never)));
      }),
    };
    const invalidator = createInvalidator(client as never, {
      now: () => now,
      set: (run, ms) => {
        id += 1;
        timers.push({ at: now + ms, run, id });
        return id;
      },
      clear: (timer) => void (timers = timers.filter((each) => each.id !== timer)),
    });
    const advance = (ms: number) => {
      const until = now + ms;
      for (;;) {
        const due = timers.filter((each) => each.at <= until).sort((a, b) => a.at - b.at)[0];
        if (!due) break;
        timers = timers.filter((each) => each !== due);
        now = due.at;
        due.run();
      }
      now = until;
    };
    return { invalidator, advance, asked };
  }

  test('events that come together are answered once', () => {
    const { invalidator, advance, asked } = setUp();
    for (let i = 0; i < 50; i += 1) invalidator.onEvent({ type: 'changed', tags: ['jobs'] });
    advance(COALESCE_MS);
    expect(asked.flat().sort(), 'fifty events, one refresh').toEqual(['app_status', 'jobs_list']);
  });

  test('long lists wait for a pause in typing', () => {
    const { invalidator, advance, asked } = setUp();
    invalidator.noteInput();
    invalidator.onEvent({ type: 'changed', tags: ['memories', 'jobs'] });
    advance(COALESCE_MS);
    expect(asked.flat(), 'the small answer comes at once').toEqual(['jobs_list']);
    advance(STATUS_QUIET_MS - COALESCE_MS);
    expect(asked.flat(), 'the counts after a moment').toEqual(['jobs_list', 'app_status']);
    advance(QUIET_MS);
    expect(asked.flat(), 'the list once the person pauses').toEqual(['jobs_list', 'app_status', 'memories_list']);
  });

  test('the counts are taken once in a series of decisions, and do not wait for its end', () => {
    const { invalidator, advance, asked } = setUp();
    for (let ms = 0; ms < STATUS_QUIET_MAX_MS - COALESCE_MS; ms += 40) {
      invalidator.noteInput();
      invalidator.onEvent({ type: 'changed', tags: ['memories'] });
      advance(40);
    }
    expect(asked.flat(), 'each would count everything').toEqual([]);
    for (let ms = 0; ms < STATUS_QUIET_MS + COALESCE_MS; ms += 40) {
      invalidator.noteInput();
      advance(40);
    }
    expect(asked.flat()).toEqual(['app_status']);
  });

  test('long lists come at once when the person waits for them', () => {
    const { invalidator, advance, asked } = setUp();
    invalidator.noteInput();
    invalidator.hurry();
    invalidator.onEvent({ type: 'changed', tags: ['memories'] });
    advance(COALESCE_MS);
    expect(asked.flat(), 'an undo is seen without a pause').toContain('memories_list');
  });

  test('a panel that is opened does not wait for the pause that is under way', () => {
    const { invalidator, advance, asked } = setUp();
    invalidator.onEvent({ type: 'changed', tags: ['memories'] });
    invalidator.noteInput();
    advance(COALESCE_MS);
    expect(asked.flat()).not.toContain('memories_list');
    invalidator.hurry();
    advance(COALESCE_MS);
    expect(asked.flat()).toContain('memories_list');
  });

  test('long lists do not wait for ever', () => {
    const { invalidator, advance, asked } = setUp();
    invalidator.onEvent({ type: 'changed', tags: ['memories'] });
    for (let i = 0; i < QUIET_MAX_MS / 100 + 10; i += 1) {
      invalidator.noteInput();
      advance(100);
    }
    expect(asked.flat()).toContain('memories_list');
  });
});
