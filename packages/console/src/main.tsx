import './parts/tokens.css'
import { createRoot } from 'react-dom/client'
import { App } from './app.tsx'
import { applyTheme } from './frame/theme.ts'

applyTheme()
const root = document.querySelector('#app')
if (root === null) throw new Error('The page has no place for the console.')
createRoot(root).render(<App />)
