import { defineTexts } from '../../language/texts.ts'

/** Words of the way to a demo. */
export const startDemoTexts = defineTexts({
  en: {
    start: 'Start the demo',
    starting: 'Starting the demo…',
    byHand: 'Run this where Gatepost is installed:',
    copy: 'Copy the command',
  },
  zh: {
    start: '启动演示',
    starting: '正在启动演示…',
    byHand: '在安装 Gatepost 的机器上运行：',
    copy: '复制命令',
  },
})
