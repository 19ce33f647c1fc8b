// A mail server of its own for one test: Dovecot in a temporary folder, as a user without rights, without TLS.

import { execFileSync, spawn } from 'node:child_process';
import { chmod, chown, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createConnection } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { freePort, until } from './processes.mjs';

export const USER = 'mara@mail.example';
export const PASSWORD = 'correct horse';

/** A user without rights, because Dovecot reads no mail as root. */
const NOBODY = 65_534;
const isRoot = process.getuid?.() === 0;

const greets = (port) =>
  new Promise((resolve) => {
    const socket = createConnection(port, '127.0.0.1', () => undefined);
    socket.once('data', (data) => {
      socket.destroy();
      resolve(data.toString().startsWith('* OK'));
    });
    socket.once('error', () => resolve(false));
  });

const config = (at, port) => {
  const named = (option) => execFileSync('id', [option], { encoding: 'utf8' }).trim();
  const [user, group] = isRoot ? ['nobody', 'nogroup'] : [named('-un'), named('-gn')];
  return `base_dir = ${at}/base
state_dir = ${at}/state
log_path = ${at}/log
protocols = imap
listen = 127.0.0.1
ssl = no
disable_plaintext_auth = no
auth_failure_delay = 0
default_internal_user = ${user}
default_internal_group = ${group}
default_login_user = ${user}
mail_location = maildir:${at}/mail/%u
first_valid_uid = 1
first_valid_gid = 1
passdb {
  driver = passwd-file
  args = scheme=PLAIN username_format=%u ${at}/passwd
}
userdb {
  driver = static
  args = uid=${user} gid=${group} home=${at}/mail/%u
}
namespace inbox {
  inbox = yes
  separator = /
}
service anvil {
  chroot =
}
service imap-login {
  chroot =
  inet_listener imap {
    port = ${port}
  }
}
`;
};

/** Starts a server. `put` adds a mail to a folder; `stop` ends it and removes its files. */
export async function startDovecot() {
  const at = await mkdtemp(join(tmpdir(), 'dv'));
  await chmod(at, 0o755);
  const own = async (path) => {
    if (isRoot) await chown(path, NOBODY, NOBODY);
    return path;
  };
  await own(at);
  for (const name of ['base', 'state', 'mail', `mail/${USER}`]) await own(await mkdir(join(at, name)).then(() => join(at, name)));
  await writeFile(join(at, 'passwd'), `${USER}:{PLAIN}${PASSWORD}\n`);
  const port = await freePort();
  await writeFile(join(at, 'dovecot.conf'), config(at, port));
  const rights = isRoot ? ['--reuid', `${NOBODY}`, '--regid', `${NOBODY}`, '--clear-groups'] : [];
  const child = spawn('setpriv', ['--pdeathsig', 'TERM', ...rights, 'dovecot', '-F', '-c', join(at, 'dovecot.conf')], {
    env: { ...process.env, PATH: `${process.env.PATH}:/usr/sbin:/sbin` },
    stdio: 'ignore',
  });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  await until('Dovecot to answer (src-tauri/scripts/system_packages.sh test installs it)', () => greets(port));
  let count = 0;
  return {
    port,
    async put(folder, { subject, text, from = 'Ben <ben@mail.example>' }) {
      count += 1;
      const user = join(at, 'mail', USER);
      const place = folder === 'INBOX' ? user : join(user, `.${folder}`);
      for (const name of ['cur', 'new', 'tmp']) await own(await mkdir(join(place, name), { recursive: true }).then(() => join(place, name)));
      await own(place);
      const mail = `From: ${from}\r\nTo: ${USER}\r\nSubject: ${subject}\r\nMessage-ID: <${count}@mail.example>\r\nDate: Mon, 2 Mar 2026 10:00:${String(count % 60).padStart(2, '0')} +0100\r\nContent-Type: text/plain; charset=utf-8\r\n\r\n${text}\r\n`;
      const path = join(place, 'new', `${1_767_225_600 + count}.M1P${count}.host`);
      await writeFile(path, mail);
      await own(path);
    },
    async stop() {
      child.kill('SIGTERM');
      await ended;
      await rm(at, { recursive: true, force: true });
    },
  };
}
