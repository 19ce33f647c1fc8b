// Sessions of terminal agents in the real window: one that nobody named has the first words that were typed in it as its title, and the
// tools that worked in it are nobody.

import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { after, before, test } from 'node:test';

import { launch } from '../keepsake.mjs';

const FIXTURES = resolve(import.meta.dirname, '../../fixtures');
const FILES = ['claude-code/project/5a0c-session.jsonl', 'codex-cli/session.jsonl', 'gemini-cli/session.jsonl'];
/** What each program writes where somebody names a session. */
const NAMES_IT = /"(customTitle|thread_name|summary)": "Hive repair"/;

let keepsake;
const rows = () => keepsake.texts('conversation-row');

before(async () => {
  keepsake = await launch({
    async prepare(home) {
      for (const name of FILES) {
        const said = (await readFile(join(FIXTURES, name), 'utf8')).split('\n');
        const kept = said.filter((line) => !NAMES_IT.test(line));
        assert.equal(kept.length, said.length - 1, `control: ${name} had a name`);
        const file = join(home.home, `${dirname(name).replace('/', '-')}-${basename(name)}`);
        await writeFile(file, kept.join('\n'));
        await home.cli('import', file);
      }
      await home.cli('run-jobs', '--until-idle');
    },
  });
});
after(() => keepsake?.end());

test('a session that nobody named has a title', async () => {
  await keepsake.click('nav-conversations');
  await keepsake.until('the sessions', async () => (await rows()).length === FILES.length + 1);
  const titles = (await rows()).map((row) => row.split('\n')[0]);
  assert.equal(titles.filter((title) => title === 'I prefer tabs over spaces, fix the indent please').length, 2, `Claude Code and Codex: ${titles}`);
  assert.ok(titles.includes('I prefer tabs over spaces, fix @a.md please'), `Gemini: ${titles}`);
  assert.ok(titles.includes('Search the repository for hives'), `one that an agent began for another: ${titles}`);
  await keepsake.screenshot('terminal-titles-light');
});

test('a tool is nobody until services are asked for', async () => {
  const people = async () => (await keepsake.texts('person-row')).flatMap((row) => row.split('\n'));
  await keepsake.click('nav-people');
  await keepsake.find('person-row');
  assert.ok((await people()).includes('Claude Code'), 'control: who did speak is listed');
  assert.ok(!(await people()).includes('Read'), 'and what was used is not');
  await keepsake.click('facet-kind');
  await keepsake.click({ css: '[role="menuitemcheckbox"]', text: 'Services' });
  await keepsake.press('Escape');
  await keepsake.until('the tools', async () => (await people()).includes('Read'));
  await keepsake.screenshot('people-services-light');
});
