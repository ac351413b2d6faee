@echo off
rem Starts the plugin. The engine looks for a file of this name in the plugin's folder.
where node >nul 2>nul || (echo pulumi-resource-clouddb needs Node.js 20.19 or later, but there is no node on PATH. Install Node.js from https://nodejs.org/, or a release of the plugin, which contains it, then run the command again.>&2 & exit /b 127)
node "%~dp0launcher.js" %*
