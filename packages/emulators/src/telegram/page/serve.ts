import type { IncomingMessage, ServerResponse } from 'node:http'
import { answerPageFile, type PageFiles, SHARED_FILES } from '../../kit/page/serve.ts'

const FILES: PageFiles = {
  ...SHARED_FILES,
  ...Object.fromEntries(
    ['index.html', 'chat.js', 'cast.js', 'control.js', 'messages.js', 'format.js'].map((name) => [
      name,
      new URL(name, import.meta.url),
    ]),
  ),
}

/** Answers `/demo` and its files; `/` leads there. */
export const answerPage = (request: IncomingMessage, response: ServerResponse): Promise<void> =>
  answerPageFile(FILES, request, response)
