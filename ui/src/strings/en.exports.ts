/** Texts that say how to get an export from each service, and what to know about it. */

interface Help {
  readonly id: string;
  readonly name: string;
  /** How long the service takes to deliver an export. */
  readonly wait?: string;
  readonly steps: readonly string[];
  readonly note?: string;
}

/** How to get an export from each service. */
export const help: readonly Help[] = [
  {
    id: 'chatgpt',
    name: 'ChatGPT',
    wait: 'An email, usually within minutes, sometimes after a day',
    steps: ['In ChatGPT, open Settings, then Data controls.', 'Choose Export data and confirm.', 'Download the zip file from the link in the email. The link is valid for 24 hours.', 'Drop the zip file here as it is.'],
    note: 'Replies you replaced by editing are kept and marked. Temporary chats are not in the export.',
  },
  {
    id: 'claude',
    name: 'Claude',
    wait: 'An email, usually within minutes, sometimes after a day',
    steps: ['In Claude, open Settings, then Privacy.', 'Choose Export data.', 'Download the zip file from the link in the email.', 'Drop the zip file here as it is.'],
    note: 'Projects and Claude’s memories are imported too, but never treated as your words.',
  },
  {
    id: 'claude-code',
    name: 'Claude Code',
    wait: 'None: the files are on this computer',
    steps: ['Sessions are in .claude/projects in your home folder.', 'Drop the folder or individual .jsonl files here.'],
    note: 'Claude Code deletes old sessions after a while; an import keeps them. Tool output is never treated as your words.',
  },
  {
    id: 'codex-cli',
    name: 'Codex CLI',
    wait: 'None: the files are on this computer',
    steps: ['Sessions are in .codex/sessions and .codex/archived_sessions in your home folder.', 'Drop a folder or individual .jsonl files here.'],
    note: 'Tool calls are kept and marked as tool calls. Tool output and text that Codex adds to your prompts are never treated as your words.',
  },
  {
    id: 'gemini-cli',
    name: 'Gemini CLI',
    wait: 'None: the files are on this computer',
    steps: ['Sessions are in .gemini/tmp in your home folder, in the chats folder of each project.', 'Drop a chats folder or individual .jsonl or .json files here.'],
    note: 'Gemini CLI deletes old sessions after a while; an import keeps them. Files named in a prompt are never treated as your words.',
  },
  {
    id: 'whatsapp',
    name: 'WhatsApp',
    wait: 'None',
    steps: ['On your phone, open the chat, then tap its name or the menu.', 'Choose Export chat, without media.', 'Send the file to this computer.', 'Drop the .txt or .zip here.'],
    note: 'One file per chat. Dates use your phone’s format. If they are ambiguous, Keepsake asks you.',
  },
  {
    id: 'transcript',
    name: 'Zoom, Teams, Google Meet, Otter',
    wait: 'None, once the recording is processed',
    steps: [
      'Zoom: in the web portal under Recordings, download the audio transcript (.vtt).',
      'Teams: in the meeting’s recap, open the transcript and download it as .vtt or .docx.',
      'Google Meet: open the transcript in Google Docs, then File, Download, Microsoft Word (.docx) or Plain text (.txt).',
      'Otter: open the conversation, choose Export, then Text (.txt) or SRT.',
      'Fireflies: open the meeting, choose Download transcript, then JSON.',
      'Drop the file here.',
    ],
  },
  {
    id: 'telegram',
    name: 'Telegram',
    wait: 'None for one chat; up to 24 hours for the first export of a whole account',
    steps: ['In Telegram Desktop (not the one from the Mac App Store), open a chat and choose Export chat history in its menu. To export everything, choose Settings, Advanced, Export Telegram data.', 'Choose “Machine-readable JSON” as the format, without media.', 'Drop the folder or its result.json here.'],
    note: 'Forwarded messages are kept but never treated as the words of the person who forwarded them. Secret chats are not in the export.',
  },
  {
    id: 'slack',
    name: 'Slack',
    wait: 'Email within minutes, or hours for large workspaces',
    steps: ['An owner or admin of the workspace opens Settings, Import/Export data, Export.', 'Download the zip file from the link in the email.', 'Drop the zip file here as it is.'],
    note: 'On most plans, the export contains only public channels. Private channels and direct messages need a plan that includes them.',
  },
  {
    id: 'discord',
    name: 'Discord',
    wait: 'None with DiscordChatExporter; up to 30 days for Discord’s own data package',
    steps: ['Export channels with DiscordChatExporter in the JSON format, or request your data under Settings, Data & privacy.', 'Drop the JSON files, or the zip of the data package, here.'],
    note: 'Discord’s own package contains only what you wrote yourself.',
  },
  {
    id: 'matrix',
    name: 'Matrix (Element)',
    wait: 'None',
    steps: ['In Element on a computer, open the room, then Room info, Export chat.', 'Choose the JSON format and “From the beginning”.', 'Drop the file here.'],
    note: 'The export includes encrypted rooms only to the extent that this Element app can read them. Messages that it cannot read are counted.',
  },
  {
    id: 'signal',
    name: 'Signal',
    wait: 'None',
    steps: ['In Signal on a computer, open Settings, Backups, and export your chat history as plain text.', 'Drop the folder, or its main.jsonl, here.', 'You can also drop files from sigtop (as JSON) or signal-export here.'],
    note: 'Disappearing messages are left out.',
  },
  {
    id: 'email',
    name: 'Mail (Gmail, Thunderbird, Apple Mail …)',
    wait: 'Gmail: hours, sometimes days',
    steps: ['Gmail: at Google Takeout choose only Mail, in the mbox format, and download it.', 'Apple Mail: select a mailbox, then Mailbox, Export Mailbox.', 'Thunderbird and others: drop the mbox file, a Maildir folder, or messages saved as .eml.', 'Drop the file or folder here.'],
    note: 'Quoted text and signatures are kept separate from what was written. Mailing lists and automatic mail are marked and not attributed to anyone. Drafts and spam are left out.',
  },
  {
    id: 'imessage',
    name: 'iMessage',
    wait: 'None',
    steps: ['On the Mac, quit Messages.', 'Copy chat.db, chat.db-wal and chat.db-shm from Library/Messages in your home folder into one folder.', 'Drop chat.db here.'],
    note: 'On a Mac, a program can read the original folder only with “Full Disk Access”. A copy needs no permission.',
  },
  {
    id: 'simplex',
    name: 'SimpleX',
    wait: 'None',
    steps: ['In SimpleX on a computer, open Settings, Database, and stop the chat.', 'Remove the passphrase of the database, then export it.', 'Unpack the archive and drop simplex_v1_chat.db here.', 'Set the passphrase again.'],
    note: 'An encrypted database cannot be read. Disappearing messages are left out.',
  },
  {
    id: 'meta',
    name: 'Messenger and Instagram',
    wait: 'Email within hours, sometimes days',
    steps: ['In Accounts Center, open Your information and permissions, then Export your information.', 'Choose messages only, all time, and the JSON format.', 'Drop the zip file here as it is.'],
    note: 'Choose JSON: the HTML format cannot be read. Encrypted Messenger chats are exported separately, in Messenger’s own settings.',
  },
  {
    id: 'google-chat',
    name: 'Google Chat',
    wait: 'Hours, sometimes days',
    steps: ['In Google Takeout, choose only Google Chat.', 'Drop the zip file here as it is.'],
  },
  {
    id: 'teams',
    name: 'Microsoft Teams',
    wait: 'Days',
    steps: ['On your Microsoft account’s export page, request your chat history.', 'Drop the file here as it is, or its messages.json.'],
    note: 'This is for personal accounts. At work, only an administrator can export chats.',
  },
  {
    id: 'line',
    name: 'LINE and WeChat',
    wait: 'None',
    steps: ['LINE: open the chat’s menu, Settings, Export chat history.', 'WeChat: select messages and send them by mail, or use a tool that exports JSON.', 'Drop the file here.'],
  },
  {
    id: 'local-assistants',
    name: 'Open WebUI, LibreChat, LM Studio, Jan',
    wait: 'None',
    steps: ['Open WebUI: Settings, Data controls, Export chats.', 'LibreChat: open a conversation’s menu, Export, JSON.', 'LM Studio: the conversations are in .lmstudio/conversations in your home folder.', 'Jan: the threads are in the threads folder of its data folder.', 'Drop the files or the folder here.'],
  },
  {
    id: 'editors',
    name: 'Copilot Chat, Cursor, Zed',
    wait: 'None: the files are on this computer',
    steps: ['Copilot Chat in VS Code: run the command “Chat: Export Chat”, or drop the chatSessions folder of a workspace.', 'Cursor: drop state.vscdb from its User/globalStorage folder.', 'Zed: drop threads.db from its threads folder.'],
    note: 'What the editor puts into a prompt, such as files, is never treated as your words.',
  },
  {
    id: 'notes',
    name: 'Obsidian and memories from other programs',
    wait: 'None',
    steps: ['Drop an Obsidian vault as a folder.', 'Drop basic-memory notes, mem0 exports, or the MemPalace folder.'],
    note: 'Search finds the notes. Nothing in them becomes a memory automatically.',
  },
  {
    id: 'keepsake',
    name: 'Anything else: Keepsake JSONL',
    steps: ['Write one message per line, each a JSON object with the fields below, in UTF-8.', 'Drop the .jsonl file here. Importing it again adds only what is new.'],
  },
];
