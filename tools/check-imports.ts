import { join } from 'node:path'
import { checkTree } from './imports/rules.ts'
import { readTree } from './imports/tree.ts'

const tree = readTree(join(import.meta.dirname, '..'))
const violations = checkTree(tree)
for (const { file, line, rule, message } of violations) console.log(`${file}:${line}: ${rule}: ${message}`)
console.log(`${tree.files.length} files, ${violations.length} violations`)
process.exitCode = violations.length > 0 ? 1 : 0
