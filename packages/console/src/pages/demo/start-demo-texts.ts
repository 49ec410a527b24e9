import { defineTexts } from '../../language/texts.ts'

/** Texts of the button that starts a demo. */
export const startDemoTexts = defineTexts({
  en: {
    start: 'Start demo',
    starting: 'Starting demo…',
    byHand: 'Run this on the machine where Gatepost is installed:',
    copy: 'Copy command',
  },
  zh: {
    start: '启动演示',
    starting: '正在启动演示…',
    byHand: '请在安装了 Gatepost 的机器上运行：',
    copy: '复制命令',
  },
})
