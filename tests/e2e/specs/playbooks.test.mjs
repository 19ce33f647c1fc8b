// Playbooks in the real window: found in what a coding agent kept long ago, with the lines that show them; what a person decides by keys holds,
// is seen by the command line, and is taken back.

import assert from 'node:assert/strict';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';

import { launch } from '../keepsake.mjs';

const DAY_MS = 24 * 60 * 60 * 1000;
/** An imported history: its last session, and not today, ends the time that is looked at. */
const DAYS_AGO = 400;

/** A session as Claude Code keeps it: each step a tool use and what came back. */
function session(id, daysAgo, steps) {
  const began = Date.now() - daysAgo * DAY_MS;
  const line = (at, number, kind, content) =>
    JSON.stringify({
      type: kind,
      uuid: `${id}-${number}`,
      sessionId: id,
      cwd: '/home/mara/app',
      timestamp: new Date(began + at * 60_000).toISOString(),
      message: { role: kind, content },
    });
  const uses = steps.flatMap(([name, input], at) => [
    line(at, at * 2 + 1, 'assistant', [{ type: 'tool_use', id: `${id}-use-${at}`, name, input }]),
    line(at, at * 2 + 2, 'user', [{ type: 'tool_result', tool_use_id: `${id}-use-${at}`, content: 'as it came back' }]),
  ]);
  return [line(0, 0, 'user', `Please do it: ${id}`), ...uses].join('\n');
}

const shell = (command) => ['Bash', { command }];
const release = (version) => [['Edit', { file_path: '/home/mara/app/CHANGELOG.md' }], shell('cargo test'), shell(`git tag ${version}`), shell(`gh release create ${version}`)];

let keepsake;
const playbooks = async () =>
  (await keepsake.cli('playbooks', '--json'))
    .split('\n')
    .filter(Boolean)
    .map((each) => JSON.parse(each));
const status = async () => (await playbooks()).map((each) => each.status);

before(async () => {
  keepsake = await launch({
    async prepare(home) {
      const folder = join(home.home, 'sessions');
      await mkdir(folder, { recursive: true });
      for (const [at, version] of ['v1.0.0', 'v1.1.0', 'v2.0.0'].entries()) await writeFile(join(folder, `release-${at}.jsonl`), session(`release-${at}`, DAYS_AGO + at, release(version)));
      await writeFile(join(folder, 'other.jsonl'), session('other', DAYS_AGO + 1, [['Read', { file_path: 'a' }], ['Grep', { pattern: 'b' }], shell('git status')]));
      await home.cli('import', folder);
      await home.cli('run-jobs', '--until-idle');
    },
  });
});
after(() => keepsake?.end());

test('a way of working is shown with its steps, what varies, and the sessions that show it', async () => {
  await keepsake.click('nav-playbooks');
  await keepsake.find('playbook-step');
  const steps = await keepsake.run(`return [...document.querySelectorAll('[data-testid="playbook-step"]')].map((each) => each.textContent)`);
  assert.deepEqual(steps, ['Edit CHANGELOG.md', 'cargo test', 'git tag {version}', 'gh release create {version}']);
  const sessions = await keepsake.run(`return document.querySelectorAll('[data-testid="playbook-session"]').length`);
  assert.equal(sessions, 3);
  await keepsake.screenshot('playbooks');
});

test('keys approve, undo takes back, and the command line sees both', async () => {
  await keepsake.press('a');
  await keepsake.until('it is approved', async () => (await status())[0] === 'approved');
  await keepsake.press('u');
  await keepsake.until('it is taken back', async () => (await status())[0] === 'candidate');
  await keepsake.press('s');
  await keepsake.until('it is parked', async () => (await status())[0] === 'parked');
  await keepsake.press('a');
  await keepsake.until('it is approved again', async () => (await status())[0] === 'approved');
});

test('an approved one is written as a skill', async () => {
  const folder = join(keepsake.home, 'skills');
  // The window shows it a moment after the command line does.
  await keepsake.find('btn-playbook-export');
  await keepsake.press('e');
  await keepsake.find('playbook-export-dialog');
  await keepsake.fill('playbook-export-folder', folder);
  await keepsake.click('btn-playbook-export-confirm');
  const path = join(folder, 'gh-release-create-after-edit-cargo-test-and-git-tag', 'SKILL.md');
  await keepsake.until('the file is there', async () => (await readFile(path, 'utf8').catch(() => '')).includes('git tag {version}'));
});

test('a session leads where it stands', async () => {
  await keepsake.click('playbook-session');
  await keepsake.until('the conversation is shown', async () => (await keepsake.run(`return document.body.textContent`)).includes('CHANGELOG.md'));
});

test('the same in the dark theme', async () => {
  await keepsake.theme('dark');
  await keepsake.click('nav-playbooks');
  await keepsake.find('playbook-step');
  await keepsake.screenshot('playbooks-dark');
});
